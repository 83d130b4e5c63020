import type { Mode, RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, call, edit, read, times } from "../test/case-builders.ts";
import { type CaseEvent, startRun, tell } from "../test/case-driver.ts";
import { activityLog } from "./activity-log.ts";
import { escalation, type EscalationOptions, escalationStepped } from "./escalation.ts";
import { watchdog } from "./watchdog.ts";

function climb(events: readonly CaseEvent[], { mode = "gate", ...options }: EscalationOptions & { readonly mode?: Mode } = {}) {
  const { run, log } = startRun({ mode, policies: [watchdog(), activityLog(), escalation(options)] });
  let executed = 0;
  for (const event of events) {
    if (event.type !== "tool") {
      tell(run, event);
      continue;
    }
    if (run.beforeTurn().stop?.how === "wrap-up" || run.view.stopped !== undefined) break;
    const answer = run.beforeTool({ tool: event.name, input: event.args });
    if (!answer.allow) continue;
    executed += 1;
    run.record({ type: "tool.finished", call: answer.call, outcome: event.ok ? "ok" : "error", output: event.output });
  }
  const rungs = log.flatMap((event: RunEvent) => (escalationStepped.is(event) ? [`${event.data.rung} at ${String(event.data.rounds)}`] : []));
  const applied = log.flatMap((event) => ((event.type === "tool.refused" || event.type === "stop.requested" || event.type === "review.requested") && event.applied ? [event.type] : []));
  return { run, log, executed, rungs, applied };
}

const failing = (n: number): readonly CaseEvent[] => times(n, () => bash("git fetch", "read-only file system", { ok: false }));
const same = (n: number): readonly CaseEvent[] => times(n, () => bash("ls", "a.txt"));

describe("escalation", () => {
  it("climbs rung by rung while a call is repeated", () => {
    const { rungs, executed, log } = climb(same(30));
    expect(rungs).toMatchInlineSnapshot(`
      [
        "nudge at 3",
        "refuse at 5",
        "review at 6",
        "wrap-up at 8",
      ]
    `);
    expect(executed).toBeGreaterThanOrEqual(5);
    const refused = log.find((event) => event.type === "tool.refused");
    expect({ text: refused?.text, applied: refused?.applied }).toMatchInlineSnapshot(`
      {
        "applied": true,
        "text": "Not run: \`bash ls\` brought nothing new at least 5 times. The last result was: a.txt. Do something else; it will be run again once something has changed.",
      }
    `);
    expect(log.find((event) => event.type === "stop.requested")).toMatchObject({ how: "wrap-up", reason: "aborted_stagnation", applied: true });
  });

  it("passes over no rung when one call keeps failing and its breaker opens", () => {
    const { rungs, log } = climb(failing(30));
    expect(rungs).toMatchInlineSnapshot(`
      [
        "nudge at 2",
        "refuse at 5",
        "review at 5",
        "wrap-up at 6",
      ]
    `);
    expect(log.find((event) => event.type === "tool.refused")?.text).toMatchInlineSnapshot(`"Not run: \`bash git fetch\` failed in the same way at least 5 times. The last error was: read-only file system. Do something else; it will be run again once something has changed."`);
  });

  it("does not stop an agent that does something else once its failing call is refused", () => {
    const { log, applied } = climb([...failing(6), ...times(20, (n) => read(`src/${String(n)}.ts`))]);
    expect(applied).toEqual(["tool.refused", "review.requested"]);
    expect(log.filter(({ type }) => type === "stop.requested")).toEqual([]);
  });

  it("ends a failure that comes back with other arguments each time", () => {
    const { rungs } = climb(times(30, (n) => call("edit", { path: "a.ts", old: `line ${String(n)}`, new: "x" }, "String not found in the file.", { ok: false })));
    expect(rungs.at(-1)).toMatch(/^wrap-up/);
  });

  it.each([1, 2, 3, 4])("neither refuses nor stops a call repeated %i times", (n) => {
    const { applied } = climb([...same(n), read("b.ts")]);
    expect(applied).toEqual([]);
    expect(climb([...failing(n), read("b.ts")]).applied).toEqual([]);
  });

  it.each(["observe", "nudge"] as const)("carries out nothing above a nudge in mode %s, but records what it would", (mode) => {
    const { applied, log, executed } = climb(failing(30), { mode });
    expect(applied).toEqual([]);
    expect(executed).toBe(30);
    expect(log.some((event) => event.type === "tool.refused" && !event.applied)).toBe(true);
    expect(log.some((event) => event.type === "stop.requested" && !event.applied)).toBe(true);
  });

  it("says at most two things about one loop", () => {
    const { log } = climb(failing(30), { mode: "nudge" });
    const about = log.filter((event) => event.type === "nudge.sent" && event.by === "escalation" && event.episode.startsWith("call:"));
    expect(about).toHaveLength(2);
  });

  it("steps down when a change lands", () => {
    const { applied } = climb(times(8, (n) => [...failing(3), edit("a.ts", `v${String(n)}`, `v${String(n + 1)}`)]));
    expect(applied).toEqual([]);
  });

  it("never refuses polling", () => {
    const { log } = climb(times(40, () => ({ type: "tool", name: "job_status", args: { id: 1 }, ok: true, output: "running" })));
    expect(log.filter(({ type }) => type === "tool.refused" || type === "stop.requested" || type === "review.requested")).toEqual([]);
    expect(log.filter((event) => event.type === "nudge.sent")).toHaveLength(1);
  });

  it.each<{ readonly name: string; readonly events: readonly CaseEvent[] }>([
    { name: "one answer to many questions", events: times(40, (n) => call("search_docs", { query: `how to ${String(n)} it` }, "No documents found.")) },
    { name: "one call in other words", events: times(40, (n) => call("search_docs", { query: n % 2 === 0 ? "retry policy" : "policy retry" }, `found ${String(n)} pages`)) },
    { name: "most calls fail, each in its own way", events: times(40, (n) => call(`tool_${String(n)}`, { n }, `error ${"abcdefghij".slice(n % 7)}`, { ok: n % 3 === 0 })) },
  ])("weak evidence is worth a word and nothing more: $name", ({ events }) => {
    const { log } = climb(events);
    expect(log.some(({ type }) => type === "alert.raised")).toBe(true);
    expect(log.filter(({ type }) => type === "tool.refused" || type === "stop.requested" || type === "review.requested")).toEqual([]);
    expect(log.filter((event) => event.type === "nudge.sent").length).toBeLessThanOrEqual(1);
  });

  it("weak evidence does not hide strong evidence", () => {
    const wording = (n: number): CaseEvent => call("search_docs", { query: `how to ${String(n)} it` }, "No documents found.");
    const { log, applied } = climb(times(20, (n) => [wording(n), ...failing(1)]));
    const above = log.flatMap((event) => (escalationStepped.is(event) && event.data.rung !== "nudge" ? [event.data.kind] : []));
    expect(applied).toContain("stop.requested");
    expect(above).not.toContain("same-answer");
  });

  it("leaves the review out when nobody answers reviews", () => {
    const { log } = climb(failing(30), { reviews: false });
    expect(log.some(({ type }) => type === "review.requested")).toBe(false);
  });
});
