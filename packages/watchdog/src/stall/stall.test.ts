import { createRun, expectationSet, type Run, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { stall } from "./stall.ts";
import { stallState } from "./stall-state.ts";

function startRun(mode: "observe" | "gate" = "gate"): { readonly run: Run; readonly log: RunEvent[] } {
  const run = createRun<string>({ mode, policies: [stall()] });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  return { run, log };
}

/** Makes the same failing call; returns whether it was allowed. */
function fail(run: Run, { first = false } = {}): boolean {
  const meaning = { about: "bash javac A.java #1", effect: "act", answer: "failure" } as const;
  run.beforeTurn();
  const call = `c${run.view.seq}`;
  run.record({ type: "tool.requested", call, tool: "bash", input: {}, meaning });
  if (run.view.pending.get(call)?.refused !== undefined && run.mode === "gate") return false;
  run.record({
    type: "tool.finished",
    call,
    outcome: "error",
    output: "javac: command not found",
    meaning: { ...meaning, gain: first ? 1 : 0, ...(!first && { moved: false }) },
  });
  return true;
}

const kinds = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) => (event.type === "alert.raised" ? [`${event.kind} ${event.severity}`] : []));

describe("stall", () => {
  it("raises one alert that grows with the level", () => {
    const { run, log } = startRun("observe");
    for (let i = 0; i < 8; i += 1) fail(run, { first: i === 0 });
    expect(kinds(log)).toEqual(["repeat notice", "stall notice", "stall warning", "stall critical"]);
    expect(run.view.read(stallState)?.level).toBeGreaterThan(10);
  });

  it("names the pattern and the call in its evidence", () => {
    const { run, log } = startRun("observe");
    for (let i = 0; i < 3; i += 1) fail(run, { first: i === 0 });
    const raised = log.find((event) => event.type === "alert.raised" && event.kind === "stall");
    expect(raised).toMatchObject({ subject: "bash javac A.java #1", count: 3, evidence: { pattern: "repeat" } });
  });

  it("clears its alert when the user writes", () => {
    const { run } = startRun("observe");
    for (let i = 0; i < 4; i += 1) fail(run, { first: i === 0 });
    expect(run.view.alerts.size).toBe(2);
    run.record({ type: "message.received", text: "try javac from /opt" });
    expect(run.view.alerts.size).toBe(0);
    expect(run.view.read(stallState)?.level).toBe(0);
  });

  it("takes the same thoughts without a call in between for a stall", () => {
    const { run, log } = startRun("observe");
    const think = (): boolean => run.record({ type: "model.reasoned", text: "I have to look at it once more." });
    for (let i = 0; i < 3; i += 1) think();
    expect(kinds(log)).toEqual(["stall notice"]);
    const other = startRun("observe");
    for (let i = 0; i < 3; i += 1) {
      other.run.record({ type: "model.reasoned", text: "I have to look at it once more." });
      fail(other.run, { first: true });
    }
    expect(kinds(other.log)).toEqual([]);
  });

  it("charges a question without an answer only when it is asked again, and never stops over it", () => {
    const { run } = startRun("observe");
    const ask = (about: string): void => {
      const meaning = { about, effect: "look" } as const;
      run.beforeTurn();
      run.record({ type: "tool.finished", call: `c${run.view.seq}`, tool: "open", outcome: "ok", meaning });
    };
    for (let i = 0; i < 20; i += 1) ask(`open f${i}`);
    expect(run.view.read(stallState)).toMatchObject({ level: 0, blind: true });
    for (let i = 0; i < 3; i += 1) ask("open f19");
    expect(run.view.read(stallState)?.level).toBeGreaterThan(4.5);
  });

  it("takes a text that is said again and again for a stall, and not replies to a user", () => {
    const alone = startRun("observe");
    for (let i = 0; i < 3; i += 1) alone.run.record({ type: "message.sent", text: "I will start now." });
    expect(kinds(alone.log)).toEqual(["stall notice"]);
    const replies = startRun("observe");
    for (let i = 0; i < 8; i += 1) {
      replies.run.record({ type: "message.sent", text: "Anything else?" });
      replies.run.record({ type: "message.received", text: `question ${i}` });
    }
    expect(kinds(replies.log)).toEqual([]);
  });

  it("takes texts of one turn for pieces of one message, and rules for no text", () => {
    const { run, log } = startRun("observe");
    run.beforeTurn();
    for (let i = 0; i < 12; i += 1) run.record({ type: "message.sent", text: `- row ${i} of the table` });
    for (let i = 0; i < 12; i += 1) run.record({ type: "message.sent", text: "----------" });
    expect(kinds(log)).toEqual([]);
  });

  it("marks calls that repeat the one before them, and no others", () => {
    const { run } = startRun("observe");
    const repeats = ["a", "a", "b", "a", "a", "a"].map((about, index) => {
      run.beforeTurn();
      const gain = index === 0 || about === "b" ? 1 : 0;
      const meaning = { about, effect: "look", answer: "content", gain } as const;
      run.record({ type: "tool.finished", tool: "cat", outcome: "ok", output: `text of ${about}`, meaning });
      return [...run.view.alerts.values()].some(({ kind }) => kind === "repeat");
    });
    expect(repeats).toEqual([false, true, false, false, true, true]);
  });

  it("is patient with repetition the user asked for", () => {
    const { run, log } = startRun("observe");
    run.record(expectationSet.record({ repeats: true }));
    for (let i = 0; i < 15; i += 1) fail(run, { first: i === 0 });
    expect(kinds(log)).not.toContain("stall notice");
    run.record({ type: "message.received", text: "that is enough, now fix it" });
    for (let i = 0; i < 5; i += 1) fail(run, { first: i === 0 });
    expect(kinds(log)).toContain("stall notice");
  });

  it("raises an alert at the fifth look at an unchanged workspace, and a change resets it", () => {
    const { run, log } = startRun("observe");
    const look = (hash: string): number => {
      run.record({ type: "workspace.observed", hash });
      return kinds(log).length;
    };
    expect(["h", "h", "h", "h", "h"].map(look)).toEqual([0, 0, 0, 0, 0]);
    expect(look("h")).toBe(1);
    run.record({ type: "workspace.observed", hash: "k" });
    expect(run.view.alerts.size).toBe(0);
  });

  it("raises an alert at the tenth agent that makes the same call", () => {
    const { run, log } = startRun("observe");
    const raised = Array.from({ length: 10 }, (_, n) => {
      run.record({ type: "child.progressed", child: `w${n}`, toolCalls: 1, fingerprints: ["read config #1"] });
      return kinds(log).length;
    });
    expect(raised).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it("is silent for runs without a reader", () => {
    const run = createRun({ policies: [stall()] });
    for (let i = 0; i < 20; i += 1) {
      const { call } = run.beforeTool({ tool: "x", input: { i } });
      run.record({ type: "tool.finished", call, outcome: "ok", output: "fine" });
    }
    expect(run.view.alerts.size).toBe(0);
  });
});
