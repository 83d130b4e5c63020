import { nudge, refuse, review, stop, transition, veto, vouch } from "../../policies/decision.ts";
import type { Interpreter } from "../../ingest/interpreter.ts";
import { nameTableInterpreter } from "../../ingest/name-table-interpreter.ts";
import { definePhaseGraph } from "../../graph/phase-graph.ts";
import { budget } from "../../policies/budget.ts";
import { definePolicy, type Policy } from "../../policies/policy.ts";
import { edit, read, type Scenario, test } from "./scenario.ts";

const usage = { input: 10, output: 2 };

const noBreaking = definePolicy({
  name: "no-breaking",
  decide: {
    "tool.requested": (_run, _state, { tool }) => (tool === "broken_tool" ? refuse("That tool is broken.") : undefined),
  },
});

const nudgeAtThree = definePolicy({
  name: "too-long",
  decide: { "turn.started": (run) => (run.turn >= 3 ? nudge("You have read enough. Change the code.") : undefined) },
});

/** Reads an exit code out of a raw result: it sees one only when the adapter hands in what the tool returned. */
const exitCodes: Interpreter = {
  name: "exit-codes",
  interpret: ({ tool }, result) => {
    const { exitCode } = (result?.output ?? {}) as { readonly exitCode?: unknown };
    return tool === "run_tests" && typeof exitCode === "number"
      ? { tests: { verdict: exitCode === 0 ? "pass" : "fail" } }
      : undefined;
  },
};

interface TestState {
  passed: boolean;
}
const testedFinish: Policy<TestState> = definePolicy({
  name: "tested",
  initial: (): TestState => ({ passed: false }),
  observe: {
    "tool.finished": (state, { meaning }) => {
      if (meaning.tests !== undefined) state.passed = meaning.tests.verdict === "pass";
    },
  },
  decide: {
    "finish.requested": (_run, { passed }) =>
      passed ? vouch({ evidence: "tests passed" }) : veto("Run the tests first."),
  },
});

interface Repeats {
  count: number;
}
const repeating: Policy<Repeats> = definePolicy({
  name: "repeating",
  initial: (): Repeats => ({ count: 0 }),
  observe: {
    "tool.requested": (state) => {
      state.count += 1;
    },
  },
  decide: {
    "tool.requested": (_run, { count }) =>
      count < 3
        ? undefined
        : count < 5
          ? refuse("The same call again: it will not change.")
          : [
              refuse("The same call again: it will not change."),
              stop({ reason: "policy_stop", how: "wrap-up", onlyInGate: true }),
            ],
  },
});

const stopAfterEdit = definePolicy({
  name: "one-edit",
  decide: { "tool.finished": (_run, _state, { tool }) => (tool === "edit_file" ? stop({ how: "halt" }) : undefined) },
});

const phases = definePhaseGraph({
  name: "two",
  initial: "looking",
  phases: {
    looking: { next: ["changing"], tools: { deny: ["edit_*"] } },
    changing: { next: [], final: true, model: "small" },
  },
});
const changeAfterRead = definePolicy({
  name: "mover",
  mentions: ["changing", "looking"],
  decide: {
    "tool.finished": (run, _state, { tool }) =>
      tool === "read_file" && run.isIn("looking") ? transition("changing", { reason: "read enough" }) : undefined,
  },
});

const askForReview = definePolicy({
  name: "reviewed",
  decide: {
    "turn.started": (run) => (run.turn === 2 ? review({ kind: "budget", text: "Should it continue?" }) : undefined),
    "review.finished": (_run, _state, { feedback = "" }) => nudge(feedback),
  },
});

/** Scenarios of what an adapter has to do. */
export const acting: readonly Scenario[] = [
  {
    name: "refuses a call in gate mode: it is not executed, its neighbour is",
    agent: {
      answers: [
        { calls: [{ tool: "broken_tool", input: {} }, read("a.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { mode: "gate", policies: [noBreaking] },
    text: "Done.",
  },
  {
    name: "lets the same call through in observe mode, and records what gate would have done",
    agent: {
      answers: [
        { calls: [{ tool: "broken_tool", input: {} }, read("a.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { mode: "observe", policies: [noBreaking] },
    text: "Done.",
  },
  {
    name: "nudges once, after all results, and keeps the nudge where it is",
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { calls: [read("b.ts"), read("c.ts")], usage },
        { calls: [read("d.ts")], usage },
        { calls: [edit("a.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { policies: [nudgeAtThree] },
    text: "Done.",
  },
  {
    name: "sends a finish without tests back, and accepts it after them",
    needs: ["veto"],
    agent: {
      answers: [
        { calls: [edit("a.ts")], usage },
        { text: "Done.", usage },
        { calls: [test], usage },
        { text: "Done, and tested.", usage },
      ],
    },
    run: { mode: "gate", policies: [testedFinish], interpret: [exitCodes, nameTableInterpreter()] },
    text: "Done, and tested.",
  },
  {
    name: "does not argue endlessly: a finish that changes nothing is accepted as unverified",
    needs: ["veto"],
    agent: {
      answers: [
        { text: "Done.", usage },
        { text: "Really done.", usage },
      ],
    },
    run: { mode: "gate", policies: [testedFinish] },
    text: "Really done.",
  },
  {
    name: "refuses a repeating run, then takes one closing turn without tools",
    agent: {
      answers: [
        ...Array.from({ length: 5 }, () => ({ calls: [read("a.ts")], usage })),
        { text: "I was stuck.", usage },
      ],
    },
    run: { mode: "gate", policies: [repeating] },
    text: "I was stuck.",
    check: (requests) => expectChoice(requests, ["auto", "auto", "auto", "auto", "auto", "none"]),
  },
  {
    name: "wraps up at a limit the user wrote, in nudge mode too",
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { calls: [read("b.ts")], usage },
        { text: "Not finished.", usage },
      ],
    },
    run: { policies: [budget({ turns: 2, soft: 1 })] },
    text: "Not finished.",
    check: (requests) => expectChoice(requests, ["auto", "auto", "none"]),
  },
  {
    name: "stops after the results, with no call left open",
    agent: {
      answers: [
        { calls: [edit("a.ts"), read("b.ts")], usage },
        { text: "never asked", usage },
      ],
    },
    run: { policies: [stopAfterEdit] },
    text: "",
    check: (requests) => expectChoice(requests, ["auto"]),
  },
  {
    name: "follows the phase: its tools and its model",
    agent: {
      models: { small: "small-1" },
      answers: [
        { calls: [edit("a.ts")], usage },
        { calls: [read("a.ts")], usage },
        { calls: [edit("a.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { mode: "gate", graph: phases, policies: [changeAfterRead] },
    text: "Done.",
    check: (requests) => expectModels(requests, ["large-1", "large-1", "small-1", "small-1"]),
  },
  {
    name: "keeps the host's model for an unknown label, and says so once",
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { calls: [read("b.ts")], usage },
        { text: "Done.", usage },
      ],
    },
    run: { graph: phases, policies: [changeAfterRead] },
    text: "Done.",
    check: (requests) => expectModels(requests, ["large-1", "large-1", "large-1"]),
  },
  {
    name: "waits for the reviewer before the turn, and tells that turn what was said",
    needs: ["review"],
    agent: {
      answers: [
        { calls: [read("a.ts")], usage },
        { text: "Done.", usage },
      ],
      reviewer: () => Promise.resolve({ verdict: "approve", feedback: "Continue.", reviewer: "lead" }),
    },
    run: { policies: [askForReview] },
    text: "Done.",
  },
];

function expectChoice(requests: readonly { readonly toolChoice: string }[], expected: readonly string[]): void {
  expectSame(
    requests.map(({ toolChoice }) => (toolChoice === "none" ? "none" : "auto")),
    expected,
  );
}

function expectModels(requests: readonly { readonly model: string }[], expected: readonly string[]): void {
  expectSame(
    requests.map(({ model }) => model),
    expected,
  );
}

function expectSame(found: readonly string[], expected: readonly string[]): void {
  if (found.join() !== expected.join())
    throw new Error(`The requests should have been ${expected.join(", ")}; they were ${found.join(", ")}.`);
}
