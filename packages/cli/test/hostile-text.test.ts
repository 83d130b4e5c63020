import { createRun, type RunEvent } from "@phasekit/core";
import { createFileStore } from "@phasekit/ledger/node";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { safeJson } from "../src/render/safe-json.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

/** C1 CSI, a turn of direction, an isolate, tag characters, a zero width space, DEL, a private character. */
const NASTY = "a\u009b31mb\u202ec\u2066d\u{e0041}\u{e007f}e\u200bf\u007fg\ue000h";
const UNSAFE = /[\u007f-\u009f\p{Cf}\p{Co}\u2028\u2029]/u;
const SECRET = "ghp_1234567890abcdefghijABCDEFGHIJ123456";

function logWith(text: string): string {
  const call = { id: "c1", type: "function", function: { name: "bash", arguments: JSON.stringify({ command: text }) } };
  return JSON.stringify({
    messages: [
      { role: "user", content: text },
      { role: "assistant", content: text, tool_calls: [call] },
      { role: "tool", tool_call_id: "c1", content: text },
      { role: "assistant", content: text },
    ],
  });
}

describe("text of agents", () => {
  it.each([
    [["why", "log.json"]],
    [["why", "log.json", "--task"]],
    [["runs", "log.json"]],
    [["check", "log.json"]],
    [["tail", "log.json", "--no-follow", "--all"]],
    [["diff", "log.json", "log.json", "--calls"]],
    [["export", "log.json", "--atif", "--text"]],
    [["export", "log.json", "--otlp", "--text"]],
    [["simulate", "log.json"]],
    [["contracts", "prompt", "research"]],
    [["doctor"]],
  ] as const)("%j prints nothing a terminal would obey or hide, as text and as JSON", async (args) => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "log.json"), logWith(NASTY));
    await phasekitHere(["contracts", "new", "research"], { cwd });
    writeFileSync(
      join(cwd, "contracts/research.md"),
      readFileSync(join(cwd, "contracts/research.md"), "utf8").replace("Say here", NASTY.replace("\u007f", "")),
    );
    for (const more of [[], ["--json"]]) {
      const { out, error, code } = await phasekitHere([...args, ...more], { cwd });
      expect([code === 4, UNSAFE.exec(out), UNSAFE.exec(error)]).toEqual([false, null, null]);
    }
  });

  it("--json, --atif and exports escape the text, so parsers read it unchanged", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "log.json"), logWith(NASTY));
    for (const args of [["--atif", "--text"], ["--json"]]) {
      const { out } = await phasekitHere(["export", "log.json", ...args], { cwd });
      expect(UNSAFE.test(out)).toBe(false);
      expect(JSON.stringify(JSON.parse(out))).toContain("\u009b31m");
    }
    await phasekitHere(["export", "log.json", "--json", "--out", "x.json"], { cwd });
    expect(UNSAFE.test(readFileSync(join(cwd, "x.json"), "utf8"))).toBe(false);
    expect(JSON.parse(safeJson({ [NASTY]: [NASTY, "\ud800", "😀"] }, 2))).toEqual({ [NASTY]: [NASTY, "\ud800", "😀"] });
  });

  it("why redacts the task in logs of other tools and in own runs", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "log.json"), logWith(`use the token ${SECRET} please`));
    const other = await phasekitHere(["why", "log.json", "--task"], { cwd });
    expect(other.out).toMatch(/TASK +use the token/);
    // Stored by a host that does not redact.
    const run = createRun({ id: "run-own", task: { text: `use the token ${SECRET} please` } });
    const events: RunEvent[] = [];
    run.subscribe((step) => void events.push(...step));
    run.beforeTurn();
    run.end();
    mkdirSync(join(cwd, ".phasekit"));
    const store = createFileStore(join(cwd, ".phasekit/runs"));
    await store.append("run-own", events, { after: 0 });
    await store.close();
    const own = await phasekitHere(["why", "run-own", "--task"], { cwd });
    expect(own.out).toMatch(/TASK +use the token/);
    for (const { out } of [other, own]) expect(out).not.toContain(SECRET.slice(0, 12));
  });

  it("why shows a reason, an alert and an event of a later version", async () => {
    const cwd = emptyHome();
    const run = createRun({ id: "run-odd" });
    const events: RunEvent[] = [];
    run.subscribe((step) => void events.push(...step));
    run.beforeTurn();
    run.end();
    const odd = events.map((event) =>
      event.type === "run.finished" ? { ...event, reason: "from_the_future" } : event,
    );
    const store = createFileStore(join(cwd, ".phasekit/runs"));
    await store.append("run-odd", odd as readonly RunEvent[], { after: 0 });
    await store.close();
    for (const args of [["why"], ["check"], ["report"], ["runs"], ["export", "--json"], ["tail", "--no-follow"]]) {
      const { code, error } = await phasekitHere([args[0]!, "run-odd", ...args.slice(1)], { cwd });
      expect([args[0], code, error]).toEqual([args[0], args[0] === "check" ? 1 : 0, ""]);
    }
  });
});
