import { createRun, type NewEvent, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { configuredSet } from "../run-presets.ts";
import type { ConfigBase } from "./base-config.ts";
import type { DeclarativeConfig } from "./define-config.ts";
import { withPolicyOf } from "./judge-config.ts";
import type { LoadedConfig } from "./load-config.ts";
import { parseConfig } from "./parse-config.ts";

const YAML = "mode: gate\ngates: [tests-fresh, committed, pushed, ci-green, todos-done]\n";

let calls = 0;
const shell = (command: string, output = "", exitCode = 0): NewEvent => ({
  type: "tool.finished",
  call: `c${String((calls += 1))}`,
  tool: "Bash",
  input: { command },
  outcome: exitCode === 0 ? "ok" : "error",
  output: { stdout: output, exitCode },
});
const input = { file_path: "a.ts", old_string: "a", new_string: "b" };
const edit: NewEvent = { type: "tool.finished", call: "e", tool: "Edit", input, outcome: "ok", output: "edited" };
const green = shell("npx vitest run", " Tests  3 passed (3)\n");

/** The gates that send an agent back with its last words, in mode gate. */
async function vetoes(text: string, events: readonly NewEvent[], yaml = YAML): Promise<readonly string[]> {
  const { options } = await configuredSet({ config: parseConfig(yaml, "phasekit.config.yaml"), folder: "/p" });
  const log: RunEvent[] = [];
  const run = createRun({ ...options("gate"), clock: () => 1 });
  run.subscribe((step) => log.push(...step));
  for (const event of events) run.record(event);
  run.beforeFinish({ text });
  return log.flatMap((event) => (event.type === "finish.vetoed" && event.applied ? [event.gate] : []));
}

describe("gates of a config", () => {
  it("ask for what they name, and for nothing that cannot be seen", async () => {
    expect(await vetoes("Done.", [edit])).toEqual(["tests-fresh"]);
    expect(await vetoes("Done.", [edit, green])).toEqual([]);
    expect(await vetoes("Done.", [edit, green, shell("git status", " M a.ts")])).toEqual(["committed", "pushed"]);
    expect(await vetoes("Done.", [edit, green, shell("git commit -am x", "[main 1] x"), shell("git push")])).toEqual(
      [],
    );
    const todos = [{ text: "Add a test", status: "pending" }];
    expect(await vetoes("Done.", [edit, green, { type: "todos.updated", todos }])).toEqual(["todos-done"]);
  });

  it("do not pass as unavailable what the agent says it did", async () => {
    const said = await vetoes("I committed and pushed the fix. CI is green.", [edit, green]);
    expect(said).toEqual(expect.arrayContaining(["committed", "ci-green"]));
    expect(await vetoes("I could not push: there is no network.", [edit, green])).toEqual([]);
  });

  it("add to the gates of the policy, and a config without them changes nothing", async () => {
    const names = async (config: DeclarativeConfig): Promise<readonly string[]> => {
      const { options } = await configuredSet({ config, folder: "/p" });
      return (options("gate").policies ?? []).flat().map(({ name }) => name);
    };
    const plain = await names({});
    expect(await names({ gates: ["tests-fresh", "claims-true"] })).toEqual(plain);
    expect(await names({ gates: ["committed"] })).toEqual([...plain, "committed"]);
    expect(await names({ gates: ["committed"], policy: "none" })).toEqual(["phase-tracker", "committed"]);
  });

  it("cannot be taken out of a config by whoever is checked", () => {
    const loaded = { config: { gates: ["pushed"] }, folder: "/p" } as unknown as LoadedConfig;
    const base = { change: "changed", config: { gates: ["committed"] }, changedCode: [] } as ConfigBase;
    expect(withPolicyOf(loaded, base).config.gates).toEqual(["pushed", "committed"]);
  });

  it("are refused if Phasekit does not know one", () => {
    expect(() => parseConfig("gates: [commited]\n", "phasekit.config.yaml")).toThrow(/"gates\.0": .*"committed"/);
  });
});
