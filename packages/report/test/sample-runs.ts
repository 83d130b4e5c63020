import { alert, createRun, defineGate, definePolicy, type RunEvent, type RunPort } from "@phasekit/core";
import { codingRun } from "@phasekit/coding";

/** A clock that moves only when it is told to. */
function createClock(start = Date.UTC(2026, 0, 5, 9)): {
  readonly now: () => number;
  readonly pass: (ms: number) => void;
} {
  let now = start;
  return {
    now: () => now,
    pass: (ms) => {
      now += ms;
    },
  };
}

function collect(run: RunPort): RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output: unknown;
  readonly outcome?: "ok" | "error";
  readonly exitCode?: number;
}

const read = (path: string): Call => ({
  tool: "Read",
  input: { file_path: path },
  output: `export const ${path.replace(/\W/g, "_")} = 1;`,
});
const edit = (path: string, text: string): Call => ({
  tool: "Edit",
  input: { file_path: path, old_string: "1", new_string: text },
  output: "edited",
});
const fail: Call = {
  tool: "Bash",
  input: { command: "npm test" },
  output: { stdout: "Tests: 2 failed, 8 passed, 10 total\nFAIL src/cart.test.ts\n  ● adds the tax", exitCode: 1 },
  outcome: "error",
  exitCode: 1,
};
const pass: Call = {
  tool: "Bash",
  input: { command: "npm test" },
  output: { stdout: "Tests: 10 passed, 10 total", exitCode: 0 },
  exitCode: 0,
};
const missing: Call = {
  tool: "Bash",
  input: { command: "npx prisma migrate dev" },
  output: "Error: P1001: Can't reach database server at localhost:5432",
  outcome: "error",
  exitCode: 1,
};

/** A stricter gate than the default: tests that failed send the agent back too. */
const passingTests = defineGate({
  name: "tests-fresh",
  initial: () => ({ passed: undefined as number | undefined }),
  observe: {
    "tool.finished": (state, { meaning: { tests } }) => {
      if (tests !== undefined) state.passed = tests.verdict === "pass" ? (tests.passed ?? 0) : undefined;
    },
  },
  check: (_run, { passed }) =>
    passed === undefined
      ? { verdict: "veto", why: "The tests do not pass." }
      : { verdict: "pass", why: `${String(passed)} tests passed.` },
});

/** A coding agent that reads, edits, meets a loop on its way, says done too early, and is done in the end. */
export function loopingRun({
  id = "run-looping",
  mode = "gate",
  repeats = 8,
  start,
}: {
  readonly id?: string;
  readonly mode?: "observe" | "nudge" | "gate";
  readonly repeats?: number;
  readonly start?: number;
} = {}): readonly RunEvent[] {
  const clock = createClock(start);
  const run = codingRun({
    id,
    mode,
    policies: [passingTests],
    clock: clock.now,
    task: { text: "Prices in the cart ignore the tax: fix it and keep the tests green" },
  });
  const events = collect(run);
  const turns: readonly (readonly Call[])[] = [
    [read("src/cart.ts"), read("src/tax.ts")],
    [read("src/cart.test.ts")],
    [edit("src/cart.ts", "2")],
    [fail],
    ...Array.from({ length: repeats }, () => [missing]),
    [read("src/tax.ts")],
    [edit("src/tax.ts", "3")],
  ];
  for (const calls of turns) takeTurn(run, { calls, pass: clock.pass });
  run.beforeTurn();
  run.record({ type: "message.sent", text: "Done, the cart adds the tax now." });
  if (!run.beforeFinish({ text: "Done, the cart adds the tax now." }).accept) {
    takeTurn(run, { calls: [pass], pass: clock.pass });
    run.beforeFinish({ text: "The tests pass." });
  }
  run.end();
  return events;
}

function takeTurn(
  run: RunPort,
  { calls, pass: passTime }: { readonly calls: readonly Call[]; readonly pass: (ms: number) => void },
): void {
  run.beforeTurn();
  passTime(1200);
  run.record({
    type: "model.answered",
    model: "scripted-1",
    usage: { inputTokens: 2400, cachedInputTokens: 1800, outputTokens: 140 },
    finishReason: "tool_calls",
  });
  for (const { tool, input, output, outcome = "ok", exitCode } of calls) {
    const asked = run.beforeTool({ tool, input });
    passTime(outcome === "ok" ? 300 : 900);
    if (asked.allow)
      run.record({
        type: "tool.finished",
        call: asked.call,
        outcome,
        output: output as never,
        ...(exitCode !== undefined && { exitCode }),
      });
  }
}

/** A short run that ends well. */
export function goodRun(
  id = "run-good",
  {
    start = Date.UTC(2026, 0, 5, 10),
    task = "Rename total to sum",
  }: { readonly start?: number; readonly task?: string } = {},
): readonly RunEvent[] {
  const clock = createClock(start);
  const run = codingRun({ id, mode: "gate", clock: clock.now, task: { text: task } });
  const events = collect(run);
  for (const calls of [[read("src/cart.ts")], [edit("src/cart.ts", "sum")], [pass]])
    takeTurn(run, { calls, pass: clock.pass });
  run.beforeFinish({ text: "Renamed." });
  run.end();
  return events;
}

/** A run that ends with words that its last test run contradicts. */
export function contradictedRun({
  id = "run-contradicted",
  start = Date.UTC(2026, 0, 6, 9),
}: { readonly id?: string; readonly start?: number } = {}): readonly RunEvent[] {
  const clock = createClock(start);
  const run = codingRun({ id, mode: "observe", clock: clock.now, task: { text: "Add the tax to the cart" } });
  const events = collect(run);
  run.record({ type: "message.received", text: "Add the tax", from: "user" });
  for (const calls of [[read("src/cart.ts")], [edit("src/cart.ts", "2")], [fail]])
    takeTurn(run, { calls, pass: clock.pass });
  run.beforeTurn();
  run.record({ type: "message.sent", text: "The cart adds the tax now, and all tests pass." });
  run.beforeFinish({ text: "The cart adds the tax now, and all tests pass." });
  run.end();
  return events;
}

/** Runs of one turn each, some hours apart. */
export function shortRuns(count: number): readonly (readonly RunEvent[])[] {
  return Array.from({ length: count }, (_, number) => {
    const clock = createClock(Date.UTC(2026, 0, 5, 9) + number * 2 * 3_600_000);
    const run = createRun({
      id: `short-${String(number)}`,
      clock: clock.now,
      task: { text: `The task of run ${String(number)}` },
    });
    const events = collect(run);
    takeTurn(run, { calls: [read("src/cart.ts")], pass: clock.pass });
    run.end();
    return events;
  });
}

/** Text that would run, hide or reorder something if it were anything but text. */
export const hostile = {
  script: "<script>document.title='hacked'</script>",
  image: "<img src=x onerror=\"document.title='hacked'\">",
  svg: "<svg onload=\"document.title='hacked'\"></svg>",
  closing: "</script><script>document.title='hacked'</script>",
  ansi: "\u001b[31mred\u001b]8;;http://evil.example\u0007link",
  bidi: "\u202egnp.exe\u202c",
} as const;

/** A run whose every text is hostile. */
export function hostileRun(): readonly RunEvent[] {
  const clock = createClock();
  const all = Object.values(hostile).join(" ");
  const run = createRun({ id: `run-${hostile.closing}`, clock: clock.now, task: { text: all } });
  const events = collect(run);
  run.beforeTurn();
  const { call } = run.beforeTool({ tool: "Bash", input: { command: all } });
  run.record({ type: "tool.finished", call, outcome: "error", output: all, error: { message: all } });
  run.record({ type: "message.sent", text: all });
  run.end({ error: new Error(all) });
  return events;
}

/** A run of very many events. */
export function longRun(count: number): readonly RunEvent[] {
  const clock = createClock();
  const run = createRun({ id: "run-long", clock: clock.now, task: { text: "A very long run" } });
  const events = collect(run);
  for (let turn = 0; events.length < count; turn += 1) {
    run.beforeTurn();
    const { call } = run.beforeTool({
      tool: turn % 3 === 0 ? "Grep" : "Read",
      input: { path: `src/module-${String(turn)}.ts` },
    });
    clock.pass(40);
    run.record({
      type: "tool.finished",
      call,
      outcome: turn % 50 === 0 ? "error" : "ok",
      output: `line ${String(turn)} of a file`,
    });
  }
  run.end();
  return events;
}

/** A run that goes through phases of these names, one after the other. */
export function namedPhasesRun(names: readonly string[]): readonly RunEvent[] {
  const clock = createClock();
  const phases = Object.fromEntries(
    names.map((name, index) => [name, { next: names.slice(index + 1, index + 2), final: index === names.length - 1 }]),
  );
  const run = createRun({
    id: "run-named",
    clock: clock.now,
    graph: { name: "named", initial: names[0] ?? "", phases },
  });
  const events = collect(run);
  for (const name of names.slice(1)) {
    run.beforeTurn();
    clock.pass(2000);
    run.transition(name, { by: "agent" });
  }
  run.end();
  return events;
}

/** A run in which a policy finds something about every single call. */
export function alertingRun(calls: number): readonly RunEvent[] {
  const picky = definePolicy({
    name: "picky",
    decide: {
      "tool.finished": (_run, _state, { call = "" }) => alert({ kind: "odd-output", signature: call, count: 1 }),
    },
  });
  const run = createRun({ id: "run-alerting", clock: createClock().now, policies: [picky] });
  const events = collect(run);
  for (let made = 0; made < calls; made += 1) {
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: "fetch", input: { page: made } });
    run.record({ type: "tool.finished", call, outcome: "ok", output: `page ${String(made)}` });
  }
  run.end();
  return events;
}
