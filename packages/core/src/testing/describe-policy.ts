import { assembleRun } from "../run/assemble-run.ts";
import type { RunOptions } from "../run/run.ts";
import { isHostEvent, type NewEvent, type RunEvent } from "../events/run-event.ts";
import type { PhaseGraph } from "../graph/phase-graph.ts";
import type { Policy } from "../policies/policy.ts";
import { replayRun } from "../log/replay-run.ts";
import { feed, manualClock } from "./build-run.ts";

/** The two functions of a test runner that are needed; vitest's and node:test's fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => void) => unknown;
}

export interface DescribePolicyOptions extends TestRunner {
  /** Events that make the policy decide something, and some that must not. */
  readonly events: readonly NewEvent[];
  readonly graph?: PhaseGraph;
  /**
   * The n-th of endless, ever different events, for the memory test. @default reads, edits, commands and searches of
   * different files
   */
  readonly endless?: (n: number) => NewEvent;
}

/** A policy of any state that may mention phases. */
type AnyPolicy = Policy<unknown, string>;

/**
 * Checks what every policy promises: the same events give the same log, deciding changes nothing, nothing throws, a
 * replayed log continues the same way from any point, and its memory does not grow with the run. Pass a function that
 * makes the policy, so that memory kept outside the state shows.
 *
 * @example
 * describePolicy(() => stallReminder(), { describe, it, events: turns(12) });
 */
export function describePolicy(
  makePolicy: () => Policy<never, string> | AnyPolicy,
  { describe, it, events, graph, endless = differentCalls }: DescribePolicyOptions,
): void {
  const make = (): AnyPolicy => makePolicy();
  const shared = make();
  const runOptions = (policy: AnyPolicy) => ({
    id: "run",
    mode: "gate" as const,
    clock: manualClock({ step: 1 }).now,
    policies: [policy],
    ...(graph !== undefined && { graph }),
  });

  function logOf(policy: AnyPolicy): readonly RunEvent[] {
    const { run } = assembleRun<string>(runOptions(policy));
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    feed(run, events);
    return log;
  }

  describe(`policy ${shared.name}`, () => {
    it("gives the same log for the same events", () => {
      same(
        logOf(shared),
        logOf(shared),
        "Two runs with the same events differ: the policy remembers outside its state, or reads a clock.",
      );
    });

    it("never throws", () => {
      const failed = logOf(make()).find((event) => event.type === "policy.failed");
      if (failed !== undefined) throw new Error(`It threw: ${JSON.stringify(failed)}`);
    });

    it("changes nothing while deciding", () => {
      const { changed } = probe(make(), { runOptions, events });
      if (changed !== undefined)
        throw new Error(`Its state changed in decide["${changed}"]; state changes in observe only.`);
    });

    it("continues the same way when its log is replayed from any point", () => {
      const log = logOf(make());
      const text = log.map((event) => JSON.stringify(event));
      for (let cut = 1; cut <= log.length; cut += 1) {
        const stored = text.slice(0, cut).map((line): unknown => JSON.parse(line));
        const { run, missing } = replayRun<string>(stored, runOptions(make()));
        const resumed = [...text.slice(0, cut), ...missing.map((event) => JSON.stringify(event))];
        run.subscribe((step) => resumed.push(...step.map((event) => JSON.stringify(event))));
        for (const event of log.slice(cut)) if (isHostEvent(event)) run.record(event as NewEvent);
        same(resumed, text, `A log cut after event ${String(cut)} continues differently.`);
      }
    });

    it("keeps bounded memory", () => {
      const { size } = probe(make(), { runOptions, events });
      const early = size(5000, endless);
      const late = size(20_000, endless);
      if (late > early * 1.5 + 1000)
        throw new Error(
          `Its state grew from ${String(early)} to ${String(late)} characters between 5,000 and 20,000 events.`,
        );
    });
  });
}

/** Runs a policy with eyes on its state. */
function probe(
  policy: AnyPolicy,
  {
    runOptions,
    events,
  }: { readonly runOptions: (policy: AnyPolicy) => RunOptions; readonly events: readonly NewEvent[] },
): {
  readonly changed: string | undefined;
  readonly size: (count: number, nth: (n: number) => NewEvent) => number;
} {
  let state: unknown;
  let changed: string | undefined;
  const watched: AnyPolicy = {
    ...policy,
    initial: () => (state = policy.initial?.()),
    decide: Object.fromEntries(
      Object.entries(policy.decide ?? {}).map(([type, decide]) => [
        type,
        (run: never, own: never, event: never) => {
          const before = digest(own);
          const decisions = (decide as (run: never, own: never, event: never) => unknown)(run, own, event);
          if (digest(own) !== before) changed ??= type;
          return decisions;
        },
      ]),
    ),
  };
  feed(assembleRun<string>(runOptions(watched)).run, events);
  const found = changed;
  return {
    changed: found,
    size: (count, nth) => {
      const { run } = assembleRun<string>(runOptions({ ...policy, initial: () => (state = policy.initial?.()) }));
      for (let n = 0; n < count; n += 1) run.record(nth(n));
      return digest(state).length;
    },
  };
}

/** Tools of every activity, so that a policy that forgets nothing about one of them fails the memory test. */
const TOOLS = ["Read", "Edit", "Bash", "Grep"] as const;

function differentCalls(n: number): NewEvent {
  if (n % 2 === 0) return { type: "turn.started" };
  const tool = TOOLS[((n - 1) / 2) % TOOLS.length] ?? "Read";
  const file = `src/file-${String(n)}.ts`;
  return {
    type: "tool.finished",
    tool,
    call: `c${String(n)}`,
    outcome: n % 7 === 0 ? "error" : "ok",
    input: tool === "Bash" ? { command: `node ${file}` } : { path: file },
    output: `text ${String(n)}`,
  };
}

/** A text that shows every change of a state, Maps and Sets included. */
function digest(state: unknown): string {
  return JSON.stringify({ state }, (_key, value: unknown) =>
    value instanceof Map
      ? { map: [...(value as ReadonlyMap<unknown, unknown>)] }
      : value instanceof Set
        ? { set: [...(value as ReadonlySet<unknown>)] }
        : value,
  );
}

function same(found: readonly unknown[], expected: readonly unknown[], problem: string): void {
  const text = (items: readonly unknown[]): string =>
    items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join("\n");
  if (text(found) !== text(expected))
    throw new Error(`${problem}\n--- expected\n${text(expected)}\n--- found\n${text(found)}`);
}
