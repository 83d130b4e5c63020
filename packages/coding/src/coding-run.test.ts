import { definePolicy, type NewEvent, replayRun, type RunEvent, simulateRun, trackRun } from "@phasekit/core";
import { createMemoryStore, readRun, summarizeRun } from "@phasekit/ledger";
import { answerReviews } from "@phasekit/watchdog";
import { describe, expect, it } from "vitest";
import { codingRun, codingRunOptions, type CodingRunOptions } from "./coding-run.ts";

/** A run with a log; times are fixed. */
function logged(options: CodingRunOptions = {}) {
  let time = 1000;
  const run = codingRun({ id: "run", clock: () => (time += 10), ...options });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  const of = <K extends RunEvent["type"]>(type: K) =>
    log.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);
  let calls = 0;
  /** One turn with one call; the result says whether the call was let through. */
  const call = (
    tool: string,
    input: object,
    { outcome = "ok", output = "" }: { readonly outcome?: string; readonly output?: unknown } = {},
  ): boolean => {
    run.beforeTurn();
    run.record({ type: "model.answered", usage: { inputTokens: 100, outputTokens: 10 } });
    const answer = run.beforeTool({ call: `c${String((calls += 1))}`, tool, input });
    if (answer.allow) run.record({ type: "tool.finished", call: answer.call, outcome, output } as NewEvent);
    return answer.allow;
  };
  const bash = (command: string, output: string, exitCode = 0): boolean =>
    call("Bash", { command }, { outcome: exitCode === 0 ? "ok" : "error", output: { stdout: output, exitCode } });
  return { run, log, of, call, bash };
}

const moves = (log: readonly RunEvent[]): readonly string[] =>
  log.flatMap((event) => (event.type === "phase.transition" ? [`${event.from} → ${event.to}`] : []));

describe("codingRun", () => {
  it("codingRun follows a good run through its phases and vouches for it without a nudge", () => {
    const { run, log, of, call, bash } = logged({ mode: "gate" });
    call("Read", { file_path: "src/sum.ts" }, { output: "return a - b;" });
    call("Edit", { file_path: "src/sum.ts", old_string: "a - b", new_string: "a + b" }, { output: "edited" });
    bash("npx vitest run", " Test Files  1 passed (1)\n      Tests  3 passed (3)\n");
    expect(run.beforeFinish()).toMatchObject({ accept: true, verified: true });
    run.end();
    expect(moves(log)).toEqual(["exploring → acting", "acting → verifying"]);
    expect(run.outcome).toMatchObject({ reason: "done", verified: true, phase: "verifying" });
    expect([...of("nudge.sent"), ...of("tool.refused"), ...of("stop.requested"), ...of("alert.raised")]).toEqual([]);
  });

  it.each([
    { mode: "observe", accept: true, reason: "done_unverified" },
    { mode: "nudge", accept: true, reason: "done_unverified" },
    { mode: "gate", accept: false, reason: undefined },
  ] as const)("in mode $mode an edit without tests is not verified", ({ mode, accept, reason }) => {
    const { run, call, bash } = logged({ mode });
    bash("npx jest", "Tests:       3 passed, 3 total", 0);
    call("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, { output: "edited" });
    expect(run.beforeFinish()).toMatchObject({ accept, evidence: { grade: "claimed" } });
    if (reason === undefined) return;
    run.end();
    expect(run.outcome).toMatchObject({ reason, verified: false });
  });

  it("runs share their policies, and none of what the policies know", () => {
    expect(codingRunOptions().policies?.[0]).toBe(codingRunOptions().policies?.[0]);
    const [looping, other] = [logged({ mode: "gate" }), logged({ mode: "gate" })];
    for (let turn = 0; turn < 12; turn += 1) {
      looping.bash("javac Main.java", "javac: command not found", 127);
      if (turn === 10) other.call("Read", { file_path: "src/sum.ts" }, { output: "return a - b;" });
    }
    expect(looping.of("alert.raised")).not.toEqual([]);
    expect(other.log.map(({ type }) => type)).toEqual([
      "run.started",
      "turn.started",
      "model.answered",
      "tool.requested",
      "tool.finished",
    ]);
  });

  it("codingRun sends an agent back that never ran anything", () => {
    const { run, call } = logged({ mode: "gate" });
    call("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" }, { output: "edited" });
    expect(run.beforeFinish().accept).toBe(false);
  });

  it("codingRun does not send an agent back that only hands over edits, and says that nothing shows its work", () => {
    const { run, call } = logged({ mode: "gate" });
    call("Edit", { file_path: "a.ts", old_string: "z", new_string: "y" }, { outcome: "error", output: "No match." });
    call("Edit", { file_path: "a.ts", old_string: "x", new_string: "y" });
    expect(run.beforeFinish().accept).toBe(true);
    run.end();
    expect(run.outcome).toMatchObject({
      reason: "done_unverified",
      verified: false,
      evidence: { grade: "claimed", why: "No test ran after the last edit." },
    });
  });

  it("codingRun nudges about a repeated failing command, refuses it, and ends the loop in mode gate", () => {
    const { of, bash, run } = logged({ mode: "gate" });
    let allowed = 0;
    for (let n = 0; n < 14 && run.view.stopped === undefined; n += 1)
      if (bash("git fetch origin main", "error: cannot open .git/FETCH_HEAD: Read-only file system", 255)) allowed += 1;
    expect(of("alert.raised").length).toBeGreaterThan(0);
    expect(of("nudge.sent").length).toBeGreaterThan(0);
    expect(of("tool.refused").length).toBeGreaterThan(0);
    expect(allowed).toBeLessThan(8);
  });

  it("codingRun asks for a review with the recent calls, and the agent gets the reviewer's feedback", async () => {
    const { run, bash } = logged({ mode: "gate" });
    const prompts: string[] = [];
    answerReviews(run, {
      reviewer: ({ text }) => {
        prompts.push(text);
        return { verdict: "needs-changes", feedback: "Stop fetching: the workspace is current." };
      },
    });
    const heard: string[] = [];
    for (let n = 0; n < 9 && run.view.stopped === undefined; n += 1) {
      bash("git fetch origin main", "error: Read-only file system", 255);
      await new Promise((settle) => {
        setTimeout(settle, 0);
      });
      run.record({ type: "model.answered" });
      heard.push(run.beforeTurn().message ?? "");
    }
    expect(prompts[0]).toContain("Bash git fetch origin main → [error]");
    expect(heard.join("\n")).toContain("Stop fetching: the workspace is current.");
  });

  it.each(Object.getOwnPropertyNames(Object.prototype))("codingRun sees the edit beside a script named %s", (name) => {
    const { run, of, bash } = logged({ mode: "gate" });
    bash(`bash ${name}; echo x > src/a.ts`, "");
    expect(of("policy.failed")).toEqual([]);
    expect(run.beforeFinish()).toMatchObject({ accept: false, evidence: { grade: "claimed" } });
  });

  it("codingRun asks for tests after a call that could not be read", () => {
    const broken = {
      name: "broken",
      interpret: ({ tool }: { readonly tool: string }) => {
        if (tool === "Bash") throw new TypeError("name.startsWith is not a function");
        return undefined;
      },
    };
    const { interpret } = codingRunOptions();
    const { run, call, bash } = logged({ mode: "gate", interpret: [interpret ?? [], broken].flat() });
    call("Read", { file_path: "a.ts" }, { output: "text" });
    bash("ls src", "a.ts");
    const answer = run.beforeFinish();
    expect(answer).toMatchObject({ accept: false, evidence: { grade: "claimed" } });
    expect(answer.accept ? "" : answer.text).toContain(
      "One of your calls could not be read, and it may have changed code.",
    );
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
    expect(run.outcome?.evidence.why).toContain("No test ran after a call that could not be read");
  });

  it("codingRun never says that no edit was seen when its interpreter always fails", () => {
    const always = {
      name: "reading",
      interpret: () => {
        throw new TypeError("no");
      },
    };
    const { run, call, bash } = logged({ mode: "gate", interpret: always });
    for (let n = 0; n < 5; n += 1) call("Read", { file_path: `${String(n)}.ts` }, { output: "text" });
    bash("npm test", "Tests:       3 passed, 3 total");
    run.beforeFinish();
    run.end();
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
    expect(run.outcome?.evidence.why).toBe(
      "No test ran after a call that could not be read and may have changed code.",
    );
  });

  it("codingRun sends and refuses nothing in mode observe", () => {
    const { of, bash, run } = logged({ mode: "observe" });
    for (let n = 0; n < 12; n += 1)
      expect(bash("git fetch origin main", "error: Read-only file system", 255)).toBe(true);
    expect(run.beforeTurn()).toMatchObject({ message: undefined, stop: undefined, wrapUp: false });
    expect(
      [...of("nudge.sent"), ...of("tool.refused"), ...of("stop.requested")].filter(({ applied }) => applied),
    ).toEqual([]);
  });

  it("codingRun restates the task after a compaction, and stops an agent that only plans between them", () => {
    const { run, of } = logged({ mode: "gate", task: { text: "Fix the sum." } });
    const heard: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      heard.push(run.beforeTurn().message ?? "");
      run.record({ type: "model.answered" });
      run.record({ type: "plan.declared", text: `Plan ${String(n)}` });
      run.record({ type: "context.compacted", trigger: "auto" });
    }
    expect(heard[1]).toContain("The conversation was shortened. This still holds:\nTask: Fix the sum.");
    expect(of("alert.raised").map(({ kind, count }) => [kind, count])).toContainEqual(["compaction-cycle", 2]);
    expect(run.view.stopped).toMatchObject({ reason: "aborted_stagnation", by: "compaction-limit" });
  });

  it("codingRun refuses a sub-agent of a sub-agent's sub-agent in mode gate", () => {
    const { run } = logged({ mode: "gate" });
    const { graph, ...options } = codingRunOptions();
    const grandchild = run.child({ graph, ...options }).child({ graph, ...options });
    expect(run.beforeTool({ tool: "Task", input: { prompt: "look" } }).allow).toBe(true);
    expect(grandchild.beforeTool({ tool: "Task", input: { prompt: "look" } })).toMatchObject({
      allow: false,
      text: "No more sub-agents: the limit is 2 levels deep. Do this part of the work yourself.",
    });
  });

  it("codingRun stores no secret", () => {
    const { log, call } = logged();
    call(
      "Bash",
      { command: "curl -H 'Authorization: Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD' https://x" },
      { output: "AKIAIOSFODNN7EXAMPLE" },
    );
    expect(JSON.stringify(log)).not.toContain("abcdefghijklmnopqrstuvwxyz0123456789");
  });

  it("a stored run reads back with the reason it ended", async () => {
    const store = createMemoryStore();
    const { run, log, call } = logged({ store });
    await trackRun(run, () => {
      call("Read", { file_path: "a.ts" }, { output: "text" });
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    const events: RunEvent[] = [];
    for (const event of await readRun(store, "run")) events.push(event);
    expect(events).toEqual(JSON.parse(JSON.stringify(log)));
    expect(summarizeRun(events)).toMatchObject({ reason: "done" });
  });

  it("a run continues after a cut, and simulates to the same decisions", () => {
    const { log, call, bash } = logged({ mode: "gate" });
    call("Read", { file_path: "a.ts" }, { output: "1" });
    for (let n = 0; n < 6; n += 1) bash("npm test", "Tests: 2 failed, 1 passed, 3 total", 1);
    const stored = JSON.parse(JSON.stringify(log)) as RunEvent[];
    const { interpret, ...options } = codingRunOptions({ mode: "gate" });
    expect(replayRun(stored, { ...options, interpret }).missing).toEqual([]);
    // Without interpreters the stored meaning is used.
    expect(simulateRun(stored, options).divergedAt).toBeUndefined();
  });

  it.each([
    { options: { without: ["tests-fresh"] }, has: false },
    { options: { without: ["fresh-tests"] }, has: false },
    { options: {}, has: true },
    { options: { policies: [definePolicy({ name: "tests-fresh" })] }, has: true },
  ])("policies can be left out or replaced: $options", ({ options, has }) => {
    const names = (logged(options).log[0] as Extract<RunEvent, { type: "run.started" }>).policies.map(
      ({ name }) => name,
    );
    expect(names.includes("tests-fresh")).toBe(has);
    expect(new Set(names).size).toBe(names.length);
  });

  it("`budget` limits the run", () => {
    const { run, call } = logged({ budget: { turns: 2 } });
    for (let n = 0; n < 3; n += 1) call("Read", { file_path: `${String(n)}.ts` }, { output: "x" });
    expect(run.view.stopped).toMatchObject({ reason: "turn_limit" });
  });
});
