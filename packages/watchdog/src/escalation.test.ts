import type { Mode, NewEvent, RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { bash, edit, read, text, times } from "../test/case-builders.ts";
import { type CaseEvent, play, startRun } from "../test/case-driver.ts";
import { escalation, type EscalationOptions } from "./escalation.ts";
import { budgetReview } from "./review/review.ts";
import { watchdog } from "./watchdog.ts";

function escalate(
  events: readonly CaseEvent[],
  { mode = "gate", ...options }: EscalationOptions & { readonly mode?: Mode } = {},
) {
  const { run, log } = startRun({ mode, policies: [watchdog(), budgetReview(), escalation(options)] });
  let executed = 0;
  for (const event of events) {
    if (event.type !== "tool") {
      play(run, event);
      continue;
    }
    if (run.beforeTurn().stop?.how === "wrap-up" || run.view.stopped !== undefined) break;
    const { allow, call } = run.beforeTool({ tool: event.name, input: event.args });
    if (!allow) continue;
    executed += 1;
    run.record({ type: "tool.finished", call, outcome: event.ok ? "ok" : "error", output: event.output });
  }
  return { run, log, executed };
}

const failing = (n: number): readonly CaseEvent[] =>
  times(n, () => bash("git fetch", "read-only file system", { ok: false }));
const levels = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) =>
    event.type === "event.emitted" && event.name === "watchdog.escalation"
      ? [(event.data as { readonly level: string }).level]
      : [],
  );
const above = (log: readonly RunEvent[]): readonly RunEvent[] =>
  log.filter(({ type }) => ["tool.refused", "review.requested", "stop.requested"].includes(type));
const nudges = (log: readonly RunEvent[]) =>
  log.flatMap((event) => (event.type === "nudge.sent" && event.by === "escalation" ? [event] : []));

describe("escalation", () => {
  it("takes every level in order while a call keeps failing, and records each one", () => {
    const { run, log, executed } = escalate(failing(30));
    expect(levels(log)).toEqual(["refuse", "review", "stop"]);
    expect(executed).toBe(5);
    expect(nudges(log)[0]?.text).toMatchInlineSnapshot(
      `"\`bash git fetch\` failed 3 times in the same way (read-only file system). The file system is read-only here. Another try will fail too. Work where you may, or say what is missing."`,
    );
    expect(log.find((event) => event.type === "tool.refused")).toMatchInlineSnapshot(`
      {
        "applied": true,
        "at": 1017,
        "by": "escalation",
        "call": "call-6",
        "cause": 23,
        "seq": 24,
        "text": "Refused: \`bash git fetch\` got the same answer 5 times. It stays refused until something changes. Take another step.",
        "tool": "bash",
        "turn": 6,
        "type": "tool.refused",
      }
    `);
    expect(run.view.stopped).toMatchObject({ reason: "aborted_stagnation", how: "wrap-up" });
  });

  it.each([1, 2, 3, 4])("neither refuses nor stops a call that failed %i times", (n) => {
    expect(above(escalate([...failing(n), read("b.ts")]).log)).toEqual([]);
  });

  it.each(["observe", "nudge"] as const)(
    "carries out nothing above a nudge in mode %s, and records the levels",
    (mode) => {
      const { log, executed } = escalate(failing(30), { mode });
      expect(executed).toBe(30);
      expect(levels(log)).toEqual(["refuse", "review", "stop"]);
      expect(above(log).some((event) => "applied" in event && event.applied)).toBe(false);
      expect(nudges(log)).toHaveLength(2);
    },
  );

  it("does not stop an agent that does something else once its failing call is refused", () => {
    const { log } = escalate([...failing(6), ...times(20, (n) => read(`src/${n}.ts`, `export const n${n} = ${n};`))]);
    expect(above(log).filter(({ type }) => type === "stop.requested")).toEqual([]);
  });

  it("does not refuse or stop an agent whose changes land", () => {
    const { log } = escalate(times(12, (n) => [...failing(1), edit("a.ts", `v${n}`, `v${n + 1}`)]));
    expect(above(log)).toEqual([]);
  });

  it("stops earlier when new work landed long ago, and not because an agent has changed nothing", () => {
    const readings = times(20, (n) => read(`src/${n}.ts`, `export const n${n} = ${n};`));
    const stopsIn = (before: readonly CaseEvent[]): number => {
      const { log } = escalate([...before, ...readings, ...failing(30)], { mode: "observe", reviews: false });
      return (log.find(({ type }) => type === "stop.requested")?.turn ?? Infinity) - before.length;
    };
    const unchanged = stopsIn([read("a.ts", "const x = 1;")]);
    expect(stopsIn([edit("a.ts", "x", "y")])).toBeLessThan(unchanged);
    expect(stopsIn([])).toBe(unchanged);
  });

  it("gives no advice for the next call in the last turn", () => {
    const { run, log } = escalate(failing(30));
    expect(run.view.stopped?.text).toMatch(/^No progress\. This is the last turn\./);
    expect(nudges(log).some(({ turn }) => turn === run.view.turn)).toBe(false);
  });

  it("leaves reviews out on request", () => {
    const { log } = escalate(failing(30), { reviews: false });
    expect(levels(log)).toEqual(["refuse", "stop"]);
  });

  it("stops earlier with a lower stopAt", () => {
    const calls = (stopAt: number): number => escalate(failing(30), { stopAt, mode: "gate" }).executed;
    expect(calls(8)).toBeLessThanOrEqual(calls(12));
  });

  it.each([
    { options: {}, executed: 5 },
    { options: { grace: 0 }, executed: 3 },
    { options: { grace: 4 }, executed: 7 },
    { options: { grace: 0, nudges: 0 }, executed: 9 },
  ])("$options: an equal failing call is run $executed times", ({ options, executed }) => {
    expect(escalate(failing(9), options).executed).toBe(executed);
  });

  it.each([
    { nudgeCount: undefined, sent: 2 },
    { nudgeCount: 1, sent: 1 },
    { nudgeCount: 0, sent: 0 },
  ])("nudges: $nudgeCount sends $sent about one stall", ({ nudgeCount, sent }) => {
    const options = { mode: "nudge", ...(nudgeCount !== undefined && { nudges: nudgeCount }) } as const;
    expect(nudges(escalate(failing(30), options).log)).toHaveLength(sent);
  });

  it("sends more than two nudges if the run allows them", () => {
    const { run, log } = startRun({
      mode: "nudge",
      nudges: { perEpisode: 3 },
      policies: [watchdog(), escalation({ nudges: 3 })],
    });
    for (const event of failing(20)) play(run, event);
    expect(nudges(log)).toHaveLength(3);
  });

  it("`text` writes the nudge, and gets its kind and the usual text", () => {
    const { log } = escalate(failing(5), { text: ({ kind, text: usual }) => `${kind}! ${usual}` });
    expect(nudges(log)[0]?.text).toMatch(/^stall! `bash git fetch` failed 3 times/);
  });

  it.each([{ stopAt: -1 }, { nudges: Number.NaN }, { grace: "2" as never }])("%j is refused", (options) => {
    expect(() => escalation(options)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }) as Error);
  });

  it("says nothing next to an answer that is news, and speaks again when the stall continues", () => {
    const { run, log } = startRun({ mode: "nudge", policies: [watchdog(), escalation()] });
    const turn = (input: object, outcome: "ok" | "error", output: string): void => {
      run.beforeTurn();
      run.record({ type: "tool.finished", tool: "bash", input, outcome, output });
    };
    const fail = (): void => turn({ command: "git fetch" }, "error", "fatal: no remote");
    for (let n = 0; n < 4; n += 1) fail();
    expect(nudges(log)).toHaveLength(1);
    turn({ command: "sed -i s/a/b/ sum.mjs" }, "ok", "");
    turn({ command: "node --test" }, "ok", "# tests 1\n# pass 1\n# fail 0\n");
    turn({ command: "cat readme.md" }, "ok", "A calculator for shops. Run it with node, and read the license first.");
    turn({ command: "git log -1" }, "ok", "commit 4f2a: take the discount of a cart from its own column");
    run.beforeTurn();
    expect(run.view.alerts.size).toBeGreaterThan(0);
    expect(nudges(log)).toHaveLength(1);
    for (let n = 0; n < 4; n += 1) fail();
    run.beforeTurn();
    expect(nudges(log).length).toBeGreaterThan(1);
  });

  it("counts the failures when a nudge is sent, not when its alert was raised", () => {
    const { run, log } = startRun({ policies: [watchdog(), escalation()] });
    run.beforeTurn();
    for (let n = 0; n < 6; n += 1)
      run.record({ type: "tool.finished", tool: "bash", input: { n }, outcome: "error", output: "no such rule" });
    expect(run.view.alerts.size).toBeGreaterThan(0);
    for (const file of ["a", "b"])
      run.record({ type: "tool.finished", tool: "cat", input: { file }, outcome: "ok", output: `the text of ${file}` });
    run.record({ type: "model.answered" });
    run.beforeTurn();
    expect(nudges(log)[0]?.text).toContain("4 of your last 6 calls failed");
  });

  it("sends one nudge about a chant", () => {
    const { run, log } = startRun({ policies: [watchdog(), escalation()] });
    play(run, text("I will start with the parser and then look at the tests again. ".repeat(20)));
    run.beforeTurn();
    expect(nudges(log).map(({ episode }) => episode)).toEqual(["chanting:"]);
  });

  it.each<{ readonly name: string; readonly event: NewEvent; readonly times: number; readonly reason: string }>([
    {
      name: "a quota at its floor",
      event: { type: "quota.observed", remaining: 0 },
      times: 1,
      reason: "rate_limit_mid_run",
    },
    {
      name: "a provider that keeps failing",
      event: { type: "model.failed", status: 503 },
      times: 11,
      reason: "upstream_unhealthy",
    },
    {
      name: "one failure that keeps coming back",
      event: { type: "validation.failed", path: "a.b", expected: "number" },
      times: 12,
      reason: "aborted_stagnation",
    },
    {
      name: "too many corrections",
      event: { type: "check.finished", check: "compile", outcome: "failure" },
      times: 70,
      reason: "aborted_stagnation",
    },
  ])("ends a run in mode gate for $name", ({ event, times: count, reason }) => {
    const { run } = startRun({ mode: "gate", policies: [watchdog(), escalation()] });
    for (let n = 0; n < count && run.view.stopped === undefined; n += 1) {
      run.record(event);
      run.record({ type: "model.answered" });
      run.beforeTurn();
    }
    expect(run.view.stopped).toMatchObject({ reason });
  });
});
