import { describe, expect, it } from "vitest";
import { interpret } from "./__fixtures__/interpret.ts";
import { deliveryInterpreter } from "./delivery/delivery-interpreter.ts";
import { readShell } from "./shell/read-shell.ts";
import { readTestOutput } from "./tests/read-test-output.ts";

/** Every name an object has without having it itself. */
const NAMES = Object.getOwnPropertyNames(Object.prototype);

/** A name of the same shape that no table lists. */
const plainName = (name: string): string => (name.startsWith("_") ? "__zzzz__" : "zzZzzz");

const LINES = [
  ..."bash sh zsh sudo env time nice xargs timeout watch npx pnpm npm yarn make cargo go python python3 node deno bun"
    .split(" ")
    .flatMap((program) => [`${program} NAME`, `${program} run NAME`, `${program} -c NAME`]),
  ..."git docker kubectl nix apt brew pip uv poetry gradle mvn just task rake composer dotnet terraform helm gh glab"
    .split(" ")
    .flatMap((program) => [`${program} NAME`, `${program} NAME NAME`]),
  "NAME",
  "NAME --help",
  "./NAME",
  "./run.NAME",
  "NAME run test",
  "NAME=1 npm test",
  "NAME() { echo; }; NAME",
  "echo $NAME",
  "export NAME=1; echo ${NAME}",
  "cat NAME | NAME",
  "for NAME in a b; do echo; done",
  "case NAME in NAME) echo;; esac",
  "alias NAME=ls; NAME",
  "python -m NAME",
  "docker run NAME NAME",
  "docker compose NAME",
  "ssh NAME NAME",
  "cat <<NAME\nx\nNAME",
];

describe.each(NAMES)("the name %s", (name) => {
  const plain = plainName(name);
  const fill = (text: string, word: string): string => text.replaceAll("NAME", word);

  it("is read as any other name, in every place of a command line", () => {
    for (const line of LINES)
      for (const whole of [line, `${line}; echo x > src/a.ts`]) {
        const expected = JSON.stringify(readShell(fill(whole, plain))).replaceAll(plain, name);
        expect(JSON.stringify(readShell(fill(whole, name))), fill(whole, name)).toBe(expected);
      }
  });

  it("does not hide the edit beside it", () => {
    for (const line of LINES) {
      const {
        activity,
        parts = [],
        mutates,
      } = interpret({
        tool: "bash",
        input: { command: `echo x > src/a.ts; ${fill(line, name)}` },
      });
      expect([activity, ...parts], line).toContain("edit");
      expect(mutates, line).toBe(true);
    }
  });

  it("is read as any other tool, action, file, member and answer", () => {
    const inputs = [
      { NAME: "ls" },
      { command: "NAME" },
      { path: "NAME", content: "x" },
      { action: "NAME" },
      "NAME",
      ["NAME"],
    ];
    for (const tool of ["NAME", "bash", "str_replace_editor", "Edit", "write_file", "NAME_file", "mcp__NAME__run"])
      for (const input of inputs) {
        const read = (word: string): unknown =>
          interpret(
            { tool: fill(tool, word), input: JSON.parse(fill(JSON.stringify(input), word)) as unknown },
            { outcome: "ok", output: fill("NAME: NAME\n1 passed", word) },
          );
        expect(JSON.stringify(read(name)), `${tool} ${JSON.stringify(input)}`).toBe(
          JSON.stringify(read(plain)).replaceAll(plain, name),
        );
      }
  });

  it("is an unknown test runner and delivers nothing", () => {
    expect(
      readTestOutput({ output: "1 passed", kind: "test", runner: name, exitCode: 0, trusted: true, failed: false }),
    ).toEqual({
      ...readTestOutput({ output: "1 passed", kind: "test", runner: plain, exitCode: 0, trusted: true, failed: false }),
      runner: name,
    });
    const { interpret: deliver } = deliveryInterpreter();
    for (const line of ["git NAME", "gh NAME NAME", "NAME pr create", "git push NAME"])
      expect(deliver({ tool: "bash", input: { command: fill(line, name) } })?.delivers, line).toEqual(
        deliver({ tool: "bash", input: { command: fill(line, plain) } })?.delivers,
      );
  });
});
