import {
  alert,
  budget,
  createRun,
  defineEvent,
  definePhaseGraph,
  definePolicy,
  deliveryPhases,
  emit,
  nudge,
  phaseGuidance,
  pipelinePhases,
  refuse,
  stallReminder,
  stop,
  veto,
} from "@phasekit/core";
import type { GoldenStory } from "./stories.ts";

const lessonLearned = defineEvent<{ readonly text: string }>("lesson.learned");

/** Policies that make every decision there is, and two that fail. */
const everyDecision = [
  definePolicy({
    name: "all-decisions",
    decide: {
      "turn.started": (run) =>
        run.turn % 2 === 1 ? nudge(`Turn ${String(run.turn)}.`, { topic: "turns" }) : undefined,
      "tool.requested": (_run, _state, { tool }) => (tool === "rm" ? refuse("Nothing is deleted here.") : undefined),
      "tool.finished": (run) =>
        run.toolCalls < 3
          ? [
              alert({ kind: "few-calls", signature: "calls", count: run.toolCalls }),
              emit(lessonLearned, { text: "Call tools." }),
            ]
          : undefined,
      "finish.requested": (run) =>
        run.toolCalls < 4 ? veto("Call four tools first.", { gate: "four-calls" }) : undefined,
      "progress.made": () => stop({ reason: "abandoned", how: "wrap-up", text: "That is enough." }),
    },
  }),
  definePolicy({
    name: "fails-in-decide",
    decide: {
      "tool.finished": () => {
        throw new Error("This policy always fails.");
      },
    },
  }),
];

const support = definePhaseGraph({
  name: "support",
  initial: "triage",
  phases: {
    triage: { next: ["answer", "escalate"], maxTurns: 2, timeoutMs: 5000, tools: { deny: ["rm*"] } },
    answer: { next: [], final: true },
    escalate: { next: ["answer", "triage"], guidance: "Ask a person." },
  },
  required: [{ after: "escalate", visit: "triage", before: "answer" }],
});

/** Runs on graphs of core, without the other packages. */
export const coreStories: readonly GoldenStory[] = [
  {
    name: "delivery",
    play: async ({ clock, createId, store }) => {
      const policies = [phaseGuidance(), stallReminder({ afterTurns: 2 }), budget({ turns: 40 })];
      const run = createRun({ id: "delivery", graph: deliveryPhases, mode: "gate", clock, createId, policies });
      const kept = store(run);
      run.beforeTurn({ agent: "coder" });
      run.transition("plan", { by: "agent", why: "The workspace is ready." });
      for (let turn = 1; turn <= 4; turn += 1) {
        run.beforeTurn({ agent: "coder" });
        const { call, allow } = run.beforeTool({ tool: turn === 2 ? "Edit" : "Read", input: { file_path: "plan.md" } });
        if (allow) run.record({ type: "tool.finished", call, outcome: turn === 3 ? "denied" : "ok", output: "# Plan" });
      }
      run.transition("plan-review", { by: "agent", summary: "A plan of three steps." });
      run.transition("code", { by: "agent", why: "I approve it myself." });
      run.transition("code", { by: "judge", name: "architect", from: "plan-review", message: "Go ahead." });
      run.transition("code", { by: "user", from: "plan-review", why: "too late" });
      run.suspend({ by: "user", why: "Lunch.", timeoutMs: 60_000 });
      run.resume({ by: "user" });
      run.beforeTurn({ agent: "coder" });
      run.transition("test", { by: "agent" });
      run.record({
        type: "check.finished",
        check: "compile",
        outcome: "failure",
        count: 2,
        first: "TS2304",
        failed: 2,
      });
      run.rollback("code", { by: "user", why: "The tests do not compile." });
      run.transition("code-review", { by: "agent", outcome: "completed" });
      run.transition("merge", { by: "user", name: "Ada" });
      run.record({ type: "output.produced", counts: { files: 3 } });
      run.record({ type: "operation.finished", name: "push", outcome: "success" });
      run.beforeFinish();
      run.end();
      await kept.close();
    },
  },
  {
    name: "pipeline",
    play: async ({ clock, createId, store }) => {
      const run = createRun({ id: "pipeline", graph: pipelinePhases, mode: "observe", clock, createId });
      const kept = store(run);
      run.transition("database", { by: "host" });
      run.skip("interface", { by: "user", why: "The interface exists already." });
      run.transition("interface", { by: "host" });
      run.transition("database", { by: "host", why: "There is no way back." });
      run.record({ type: "model.failed", status: 401, code: "invalid_api_key", message: "Wrong key." });
      run.end({ error: Object.assign(new Error("Wrong key."), { status: 401 }) });
      await kept.close();
    },
  },
  {
    name: "support",
    play: async ({ clock, createId, store }) => {
      let now = clock();
      const run = createRun({
        id: "support",
        graph: support,
        mode: "gate",
        clock: () => now,
        createId,
        item: { id: "SUP-9", phase: "triage", version: 3 },
        policies: everyDecision,
      });
      const kept = store(run);
      for (let turn = 1; turn <= 5; turn += 1) {
        now += 700;
        const { nudges } = run.beforeTurn();
        if (turn === 3 && nudges[0] !== undefined)
          run.record({ type: "nudge.lost", nudge: nudges[0].nudge, why: "The host has no place for it." });
        for (const tool of ["lookup", "rm"]) {
          const { call, allow } = run.beforeTool({ tool, input: { turn } });
          if (allow)
            run.record({
              type: "tool.finished",
              call,
              outcome: turn === 2 ? "error" : "ok",
              output: { turn },
              exitCode: turn === 2 ? 1 : 0,
            });
        }
        if (turn === 1) run.beforeFinish();
      }
      run.record({ type: "tool.finished", outcome: "fine" } as never);
      run.record(lessonLearned.record({ text: "The host knows this one." }));
      now += 6000;
      run.tick(now);
      run.transition("escalate", { by: "agent" });
      run.transition("answer", { by: "agent" });
      run.transition("triage", { by: "agent" });
      run.transition("answer", { by: "agent" });
      run.record({ type: "progress.made", what: "The customer is happy." });
      run.beforeTurn();
      run.beforeFinish();
      run.end();
      await kept.close();
    },
  },
  {
    name: "cut-off",
    play: async ({ clock, createId, store }) => {
      const run = createRun({ id: "cut-off", clock, createId, policies: [stallReminder({ afterTurns: 2 })] });
      const kept = store(run);
      for (let turn = 1; turn <= 3; turn += 1) {
        run.beforeTurn();
        run.record({ type: "model.answered" });
      }
      run.beforeTool({ tool: "search", input: { query: "a call without a result" } });
      await kept.close();
    },
  },
];
