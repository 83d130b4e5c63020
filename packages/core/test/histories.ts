import fc from "fast-check";
import {
  alert,
  budget,
  compactionLimit,
  compactionReminder,
  cooldown,
  createRun,
  defineEvent,
  definePhaseGraph,
  definePolicy,
  defineState,
  emit,
  firstOf,
  type HostEvent,
  inPhase,
  named,
  type NewEvent,
  nudge,
  type Policy,
  type PolicyList,
  refuse,
  review,
  type Run,
  type RunEvent,
  type RunOptions,
  stallReminder,
  stop,
  subAgentLimit,
  transition,
  veto,
  vouch,
  withMode,
} from "../src/index.ts";

/** A graph with every kind of rule. */
export const graph = definePhaseGraph({
  name: "everything",
  initial: "look",
  phases: {
    look: {
      next: ["plan", { to: "act", guard: "may-act" }],
      guidance: { default: "Look first.", pm: "Ask first." },
      timeoutMs: 400,
    },
    plan: { next: ["act", "look"], activities: { deny: ["edit"] }, constraints: ["no edits"], maxTurns: 3 },
    act: {
      next: ["check", "look", { to: "done", by: ["user"] }],
      tools: { deny: ["Deploy*"] },
      purpose: "changing things",
    },
    check: { next: ["act", "done", "look"], guard: undefined, exit: ["the change works"] } as never,
    done: { next: ["look"], final: true, fresh: true },
  },
  required: [
    { after: "act", visit: "check", before: "end" },
    { after: "act", visit: "check", before: "done" },
    { after: "check", visit: "done", before: "end", when: "completed" },
  ],
});
type Phase = keyof typeof graph.phases;

interface CallState {
  last: string;
  count: number;
  failures: number;
  files: Set<string>;
}
const callKey = defineState<CallState>("test/calls");
export const noted = defineEvent<{ n: number }>("test.noted");

const calls = (): Policy<CallState, "look" | "act" | "check"> =>
  definePolicy({
    name: "calls",
    key: callKey,
    resetOn: "fresh-phase",
    mentions: ["look", "act", "check"],
    initial: (): CallState => ({ last: "", count: 0, failures: 0, files: new Set() }),
    observe: {
      "tool.finished": (state, { tool, meaning, outcome }) => {
        const key = `${tool}:${meaning.targets?.join() ?? ""}`;
        state.count = key === state.last ? state.count + 1 : 1;
        state.last = key;
        state.failures = outcome === "ok" ? 0 : state.failures + 1;
        for (const file of meaning.targets ?? []) if (state.files.size < 16) state.files.add(file);
      },
      "message.received": (state) => {
        state.count = 0;
      },
    },
    decide: {
      "tool.finished": (run, { count, last, failures }, { meaning }) => [
        ...(count >= 3 ? [alert({ kind: "repeat", signature: last, count, subject: last })] : []),
        ...(failures >= 2 ? [alert({ kind: "failing", count: failures })] : []),
        ...(meaning.activity === "edit" ? [transition("act", { reason: "an edit" })] : []),
        ...(meaning.activity === "run" && run.isIn("act")
          ? [transition("check", { reason: "a run", outcome: count % 2 === 0 ? "completed" : "failed" })]
          : []),
      ],
      "tool.requested": (run, { last, count }, { tool, meaning }) =>
        count >= 4 && `${tool}:${meaning.targets?.join() ?? ""}` === last ? refuse(`Again ${tool}?`) : undefined,
      "turn.started": (run, { count }) => [
        ...(count >= 3
          ? [nudge(`${String(count)} times the same.`, { episode: "repeat", topic: "loop", times: 2 })]
          : []),
        ...(run.turnsInPhase > 4 && run.isIn("look")
          ? [nudge("Enough looking.", { topic: "loop", priority: -1 })]
          : []),
        ...(run.alerts.size > 1
          ? [
              review({
                kind: "stuck",
                text: "What now?",
                episode: `alerts${String(run.alerts.size)}`,
                onlyInGate: run.turn % 2 === 0,
              }),
            ]
          : []),
      ],
    },
    guards: { "may-act": (_run, { files }) => files.size > 0 || "Read something first." },
  });

const finisher = (): Policy =>
  definePolicy({
    name: "finisher",
    decide: {
      "finish.requested": (run) =>
        run.toolCalls % 3 === 0
          ? vouch({ evidence: { calls: run.toolCalls } })
          : veto("Not yet.", { gate: "calls", evidence: run.toolCalls }),
      "quota.observed": (_run, _state, { remaining }) =>
        remaining < 5 ? stop({ reason: "rate_limit_mid_run", onlyInGate: true, how: "wrap-up" }) : undefined,
      "review.finished": (run, _state, { verdict }) =>
        verdict === "needs-changes"
          ? nudge("A review wants changes.", { episode: `review ${String(run.turn)}` })
          : undefined,
      "plan.declared": (run) => transition("plan" as never, { reason: `a plan in turn ${String(run.turn)}` }),
      "progress.made": (run) => emit(noted, { n: run.turn }),
      "todos.updated": (run) =>
        emit("exploration.saturation", { filesRead: run.toolCalls, iterations: run.iterations }),
    },
  });

interface DeadlineState {
  turn: number;
  at: number;
}
const deadline = (): Policy<DeadlineState> =>
  definePolicy({
    name: "deadline",
    initial: (): DeadlineState => ({ turn: 0, at: 0 }),
    observe: {
      "turn.started": (state, { at, turn = 0 }) => {
        state.at = at;
        state.turn = turn;
      },
    },
    decide: {
      "clock.ticked": (run, { at }) => (run.now - at >= 150 ? alert({ kind: "silence", count: 1 }) : undefined),
      "turn.started": (run) =>
        run.alerts.size > 0 && run.turn % 5 === 0
          ? nudge("You went silent.", { episode: `t${String(run.turn)}` })
          : undefined,
    },
    wakeAt: (run, { at }) => (run.status === "running" && at > 0 ? at + 150 : undefined),
  });

const faulty = (): Policy<{ seen: number }> =>
  definePolicy({
    name: "faulty-observer",
    initial: () => ({ seen: 0 }),
    observe: {
      "model.failed": (state) => {
        state.seen += 1;
        if (state.seen === 2) throw new Error("observer");
      },
      "policy.failed": () => {
        throw new Error("on a failure");
      },
    },
    decide: { "turn.started": (_run, { seen }) => (seen > 0 ? nudge("seen") : undefined) },
  });

const thrower = (): Policy =>
  definePolicy({
    name: "faulty-decider",
    decide: {
      "message.sent": (run) => {
        if (run.turn % 2 === 1) throw new TypeError("decider");
        return undefined;
      },
    },
    wakeAt: () => {
      throw new Error("wakeAt");
    },
  });

const chatter = (): Policy =>
  definePolicy({
    name: "chatter",
    watchText: () => {
      let seen = "";
      return {
        push: (text) => {
          if (text.includes("!!!")) throw new Error("watcher");
          seen = (seen + text).slice(-400);
          return seen.includes("again and again") ? { kind: "chant", signature: "again", stop: true } : undefined;
        },
      };
    },
    decide: {
      "message.sent": (_run, _state, { found = [] }) => found.map(({ kind }) => alert({ kind, severity: "warning" })),
    },
  });

function policies(): PolicyList<Phase> {
  return [
    calls(),
    [finisher(), deadline()],
    faulty(),
    thrower(),
    chatter(),
    budget({ turns: 25, tokens: 4000, timeMs: 30_000, how: "halt", extend: { at: "soft" }, cachedWeight: 0.5 }),
    subAgentLimit({ count: 1 }),
    cooldown(named(stallReminder({ afterTurns: 2 }), "slow"), { turns: 2 }),
    inPhase("look", named(stallReminder({ afterTurns: 1 }), "look-only")),
    withMode(
      definePolicy({
        name: "strict",
        decide: { "tool.requested": (_run, _state, { tool }) => (tool === "Deploy2" ? refuse("never") : undefined) },
      }),
      "gate",
    ),
    compactionReminder(),
    compactionLimit({ nudgeAt: 1, stopAt: 3 }),
    firstOf("either", [
      definePolicy({
        name: "a",
        initial: () => ({ n: 0 }),
        observe: {
          "turn.started": (state) => {
            state.n += 1;
          },
        },
        decide: {
          "turn.started": (_run, { n }) => (n % 4 === 0 ? nudge("four", { episode: `n${String(n)}` }) : undefined),
        },
      }) as Policy,
      definePolicy({
        name: "b",
        decide: { "turn.started": (run) => (run.turn % 6 === 0 ? nudge("six", { episode: "six" }) : undefined) },
      }),
    ]),
  ];
}

export function options(over: Partial<RunOptions<Phase>> = {}): RunOptions<Phase> {
  return {
    graph,
    id: "r",
    policies: policies(),
    createId: () => "child",
    clip: { output: 200, text: 400 },
    nudges: { tokensPerTurn: 120 },
    ...over,
  };
}

const tool = fc.constantFrom("Read", "Edit", "Bash", "Grep", "Deploy1", "Deploy2", "TodoWrite");
const file = fc.constantFrom("a.ts", "b.ts", "c.ts");
const phase = fc.constantFrom<Phase>("look", "plan", "act", "check", "done");
const actor = fc.constantFrom("agent", "policy", "judge", "user", "host");
const odd = fc.constantFrom<unknown>(
  undefined,
  Number.NaN,
  -0,
  new Date(0),
  10n,
  { deep: [undefined, () => 1] },
  "x".repeat(900),
  "\ud800",
);

/** One thing a host, a user or time does. */
export type Command =
  | { readonly do: "turn"; readonly agent: string | undefined; readonly twice: boolean }
  | {
      readonly do: "call";
      readonly tool: string;
      readonly file: string;
      readonly ok: boolean;
      readonly obey: boolean;
      readonly odd: unknown;
    }
  | { readonly do: "loop"; readonly tool: string; readonly file: string; readonly times: number; readonly ok: boolean }
  | { readonly do: "parallel"; readonly tools: readonly string[]; readonly file: string }
  | { readonly do: "result"; readonly tool: string; readonly file: string }
  | {
      readonly do: "answer";
      readonly input: number | undefined;
      readonly estimated: boolean;
      readonly finish: string | undefined;
    }
  | { readonly do: "say"; readonly text: string; readonly cut: number }
  | { readonly do: "finish"; readonly canVeto: boolean; readonly times: number }
  | { readonly do: "move"; readonly to: Phase; readonly by: string; readonly from: Phase | undefined }
  | { readonly do: "skip" | "rollback"; readonly to: Phase; readonly by: string }
  | { readonly do: "pause"; readonly timeout: number | undefined }
  | { readonly do: "waive"; readonly by: string }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "child"; readonly turns: number; readonly end: boolean }
  | { readonly do: "answer review"; readonly verdict: "approve" | "needs-changes"; readonly waited: boolean }
  | { readonly do: "fact"; readonly n: number }
  | { readonly do: "interrupt" }
  | { readonly do: "stop"; readonly how: "halt" | "wrap-up" };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("turn" as const),
      agent: fc.constantFrom(undefined, "pm", "dev"),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("call" as const), tool, file, ok: fc.boolean(), obey: fc.boolean(), odd }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("loop" as const),
      tool,
      file,
      times: fc.integer({ min: 3, max: 8 }),
      ok: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("parallel" as const),
      tools: fc.array(tool, { minLength: 2, maxLength: 3 }),
      file,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("result" as const), tool, file }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      input: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
      estimated: fc.boolean(),
      finish: fc.option(fc.constantFrom("stop", "length", "SAFETY", "who knows"), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      text: fc.constantFrom("ok", "again and again ".repeat(20), "!!!".repeat(40), "x".repeat(700)),
      cut: fc.integer({ min: 1, max: 90 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("finish" as const),
      canVeto: fc.boolean(),
      times: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("move" as const),
      to: phase,
      by: actor,
      from: fc.option(phase, { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("skip" as const, "rollback" as const), to: phase, by: actor }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("pause" as const),
      timeout: fc.option(fc.constant(50), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("waive" as const), by: actor }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 300 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("child" as const),
      turns: fc.integer({ min: 0, max: 3 }),
      end: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("answer review" as const),
      verdict: fc.constantFrom("approve" as const, "needs-changes" as const),
      waited: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("fact" as const), n: fc.nat({ max: 26 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: "interrupt" as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("stop" as const),
      how: fc.constantFrom("halt" as const, "wrap-up" as const),
    }),
  },
);

export const history = fc.array(command, { minLength: 1, maxLength: 60 });

/** Plays commands as a careful host would: it asks, ticks at every deadline, and mostly obeys. */
export function play(
  commands: readonly Command[],
  over: Partial<RunOptions<Phase>> = {},
): { readonly run: Run<Phase>; readonly log: readonly RunEvent[] } {
  let time = 1000;
  let n = 0;
  const run = createRun<Phase>(options({ ...over, clock: () => time }));
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const item of commands) {
    pass(7);
    n += 1;
    apply(item);
  }
  if (n % 2 === 0) run.end();
  return { run, log };

  function pass(ms: number): void {
    time += ms;
    while ((run.wakeAt ?? Infinity) <= time && run.tick(time));
  }

  function call(
    tool: string,
    file: string,
    { ok, obey = true, extra }: { readonly ok: boolean; readonly obey?: boolean; readonly extra?: unknown },
  ): void {
    const answer = run.beforeTool({ call: `c${String((n += 1))}`, tool, input: { path: file, odd: extra } });
    if (answer.allow || !obey)
      run.record({
        type: "tool.finished",
        call: answer.call,
        outcome: ok ? "ok" : "error",
        output: { text: `${file} `.repeat(60), n },
      });
  }

  function apply(item: Command): void {
    switch (item.do) {
      case "turn":
        run.beforeTurn(item.agent === undefined ? {} : { agent: item.agent });
        if (item.twice) run.beforeTurn(item.agent === undefined ? {} : { agent: item.agent });
        return;
      case "call":
        call(item.tool, item.file, { ok: item.ok, obey: item.obey, extra: item.odd });
        return;
      case "loop":
        for (let index = 0; index < item.times; index += 1) {
          run.beforeTurn();
          call(item.tool, item.file, { ok: item.ok, obey: index % 2 === 0 });
        }
        return;
      case "parallel": {
        const answers = item.tools.map((name) =>
          run.beforeTool({ call: `p${String((n += 1))}`, tool: name, input: { path: item.file } }),
        );
        for (const answer of answers.reverse())
          if (answer.allow) run.record({ type: "tool.finished", call: answer.call, outcome: "ok" });
        return;
      }
      case "result":
        run.record({ type: "tool.finished", tool: item.tool, outcome: "denied", input: { path: item.file } });
        return;
      case "answer":
        run.record({
          type: "model.answered",
          ...(item.finish !== undefined && { finishReason: item.finish, textLength: 0, toolCalls: 0 }),
          ...(item.input !== undefined && {
            usage: { inputTokens: item.input, outputTokens: 5, ...(item.estimated && { estimated: true }) },
          }),
        });
        return;
      case "say":
        for (let at = 0; at < item.text.length; at += item.cut) run.text(item.text.slice(at, at + item.cut));
        run.record({ type: "message.sent", text: item.text });
        return;
      case "finish":
        for (let index = 0; index < item.times; index += 1) {
          run.beforeFinish({ canVeto: item.canVeto });
          if (index % 2 === 1) call("Read", "a.ts", { ok: true });
          else run.beforeTurn();
        }
        return;
      case "move":
        run.transition(item.to, {
          by: item.by as "user",
          why: "because",
          ...(item.from !== undefined && { from: item.from }),
        });
        return;
      case "skip":
        run.skip(item.to, { by: item.by as "user", why: item.to === "plan" ? "" : "in a hurry" });
        return;
      case "rollback":
        run.rollback(item.to, { by: item.by as "user" });
        return;
      case "pause":
        run.suspend(item.timeout === undefined ? {} : { timeoutMs: item.timeout });
        run.beforeTurn();
        pass(30);
        if (item.timeout === undefined) run.resume();
        return;
      case "waive":
        run.waive("calls", { by: item.by as "user", why: "known", until: time + 100 });
        return;
      case "wait":
        pass(item.ms);
        return;
      case "child": {
        const child = run.child({ policies: [budget({ turns: 9 })] });
        for (let turn = 0; turn < item.turns; turn += 1) {
          child.beforeTurn();
          child.record({ type: "model.answered", usage: { inputTokens: 10, outputTokens: 1 } });
          child.beforeTool({ tool: "Read", input: { path: "x" } });
        }
        if (item.end) child.end();
        return;
      }
      case "answer review": {
        const [open] = run.view.reviews.keys();
        run.record({
          type: "review.finished",
          review: open ?? "nobody:1",
          verdict: item.verdict,
          feedback: "Go on.",
          ...(item.waited && { waited: true }),
        });
        return;
      }
      case "fact":
        run.record(fact(item.n, run));
        return;
      case "interrupt":
        run.end({ reason: "interrupted" });
        run.record({ type: "turn.started" });
        run.resume();
        return;
      case "stop":
        run.stop({ how: item.how, why: "enough" });
        return;
    }
  }
}

function fact(n: number, run: Run<Phase>): NewEvent {
  const facts: readonly NewEvent[] = [
    { type: "validation.failed", path: "$.x", expected: "string" },
    { type: "check.finished", check: "compile", outcome: "failure", passed: 3, failed: 2, first: "oops" },
    { type: "output.produced", counts: { models: 2 } },
    { type: "operation.finished", name: "op", outcome: "success" },
    { type: "quota.observed", remaining: 3 },
    { type: "model.reasoned", text: "I look at the parser first." },
    { type: "context.compacted", trigger: "auto", tokensBefore: 180_000, tokensAfter: 20_000 },
    { type: "budget.requested", limit: "tokens", amount: 500, by: "agent", why: "more files" },
    { type: "budget.granted", limit: n % 2 === 0 ? "tokens" : "turns", amount: 20, by: n % 3 === 0 ? "agent" : "user" },
    { type: "budget.denied", limit: "tokens", by: "judge" },
    { type: "workspace.observed", hash: "h", filesChanged: 1 },
    { type: "todos.updated", todos: [{ text: "a", status: "open" }] },
    { type: "plan.declared", steps: 3 },
    { type: "question.asked", question: "which?" },
    { type: "progress.made", what: "a step" },
    { type: "claim.submitted", claim: "c1" },
    { type: "verdict.given", verdict: "approved" },
    { type: "nudge.lost", nudge: run.view.nudges.at(-1)?.nudge ?? "none" },
    noted.record({ n }),
    { type: "model.failed", status: 429 },
    { type: "model.failed", code: "x", inBody: true },
    { type: "message.received", text: "please" },
    { type: "tool.finished", outcome: "ok" },
    { type: "check.finished", check: 3 } as unknown as NewEvent,
    { type: "nonsense" } as unknown as NewEvent,
  ];
  return facts[n] ?? { type: "clock.ticked" };
}

/** A log as it comes back from a file. */
export function roundTrip(log: readonly RunEvent[]): readonly RunEvent[] {
  return JSON.parse(JSON.stringify(log)) as RunEvent[];
}

export function text(log: readonly RunEvent[]): string {
  return log.map((event) => JSON.stringify(event)).join("\n");
}

export function hostFactsOf(
  log: readonly RunEvent[],
  isHost: (event: RunEvent) => event is HostEvent,
): readonly NewEvent[] {
  return log.filter(isHost).filter(({ type }) => type !== "run.started") as unknown as readonly NewEvent[];
}
