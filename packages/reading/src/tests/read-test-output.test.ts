import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readShell } from "../shell/read-shell.ts";
import { printedStatus } from "../answers/exit-code.ts";
import { readTestOutput } from "./read-test-output.ts";
import { CHECKS, RUNNERS } from "./runner-table.ts";
import { readRunner } from "./runner.ts";

interface Fixture {
  readonly name: string;
  readonly command: string;
  readonly exitCode: number;
  readonly verdict: string;
  readonly counts: string | undefined;
  readonly source: string;
  readonly output: string;
}

const folder = `${import.meta.dirname}/__fixtures__`;
const fixtures = readdirSync(folder).map((file): Fixture => {
  const text = readFileSync(`${folder}/${file}`, "utf8");
  const end = text.indexOf("---\n");
  const head = Object.fromEntries(
    text
      .slice(0, end)
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]),
  );
  return {
    name: file.replace(/\.txt$/, ""),
    command: head["command"] ?? "",
    exitCode: Number(head["exit"]),
    verdict: head["verdict"] ?? "",
    counts: head["counts"],
    source: head["source"] ?? "",
    output: text.slice(end + 4),
  };
});

/** As the interpreter does it: the command says which runner it is and whether its exit code can be trusted. */
function read({ command, exitCode, output }: Pick<Fixture, "command" | "exitCode" | "output">) {
  const { check, printsStatus } = readShell(command);
  const printed = printsStatus ? printedStatus(output) : undefined;
  return readTestOutput({
    output,
    runner: check?.runner,
    exitCode: printsStatus ? printed : exitCode,
    trusted: check?.trusted ?? false,
  });
}

describe("test output", () => {
  it("has at least 120 fixtures, each saying where it comes from", () => {
    expect(fixtures.length).toBeGreaterThanOrEqual(120);
    expect(fixtures.filter(({ source }) => !/^(really run|after )/.test(source)).map(({ name }) => name)).toEqual([]);
  });

  it("no runner would read an output that has none of its marks", () => {
    for (const runner of [...RUNNERS, ...CHECKS]) {
      const missed = fixtures.filter(
        ({ output }) =>
          readRunner(runner, output) === undefined && readRunner({ ...runner, marks: [""] }, output) !== undefined,
      );
      expect({ runner: runner.name, missed: missed.map(({ name }) => name) }).toEqual({
        runner: runner.name,
        missed: [],
      });
    }
  });

  it.each(fixtures)("$name is $verdict", (fixture) => {
    const found = read(fixture);
    expect(found.verdict).toBe(fixture.verdict);
    if (fixture.counts !== undefined)
      expect(`${String(found.passed ?? 0)}/${String(found.failed ?? 0)}`).toBe(fixture.counts);
  });

  it.each(fixtures.filter(({ name }) => /\.(fail|mixed)$/.test(name) && !/^(tsc|eslint|make|gradle\.fail)/.test(name)))(
    "$name shows the failing tests",
    (fixture) => {
      expect(read(fixture).failing?.length ?? 0).toBeGreaterThan(0);
    },
  );

  it("names a failing test without what it failed with", () => {
    const output =
      "FAILED tests/test_a.py::test_sum - assert 3 == 7\n" +
      "FAILED tests/test_a.py::test_word[a b]\nERROR tests/test_b.py - ImportError: no - such\n" +
      "=== 2 failed, 1 error in 0.10s ===";
    expect(readTestOutput({ output, runner: "pytest", trusted: false }).failing).toEqual([
      "tests/test_a.py::test_sum",
      "tests/test_a.py::test_word[a b]",
      "tests/test_b.py",
    ]);
  });

  it.each(fixtures.filter(({ verdict, name }) => verdict === "pass" && !/^(tsc|eslint|make|shell)\./.test(name)))(
    "$name passes by its words alone too",
    ({ command, output }) => {
      expect(readTestOutput({ output, runner: readShell(command).check?.runner, trusted: false }).verdict).toBe("pass");
    },
  );
});
