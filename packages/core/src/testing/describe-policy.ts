import { assembleRun } from "../assemble-run.ts";
import { isHostFact, type NewFact, type RunEvent } from "../facts/run-event.ts";
import type { PhaseGraph } from "../phase-graph.ts";
import type { Policy } from "../policy.ts";
import { replayRun } from "../replay-run.ts";
import { feed, manualClock } from "./build-run.ts";

/** The two functions of a test runner that are needed; vitest's and node:test's fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => void) => unknown;
}

export interface DescribePolicyOptions extends TestRunner {
  /** Facts that make the policy speak, and some that must not. */
  readonly facts: readonly NewFact[];
  readonly graph?: PhaseGraph;
  /** The n-th of endless, ever different facts, for the growth check. @default tool calls on different files */
  readonly endless?: (n: number) => NewFact;
}

/**
 * Checks what every policy promises: the same facts give the same log, deciding changes nothing, nothing throws, a log
 * read back at any point goes on the same way, and its memory does not grow with the run. Pass a function that makes
 * the policy, so that memory kept outside the state shows.
 *
 * @example
 * describePolicy(() => stallReminder(), { describe, it, facts: turns(12) });
 */
export function describePolicy(makePolicy: () => Policy<never> | Policy, options: DescribePolicyOptions): void {
  const { describe, it, facts, graph, endless = differentFiles } = options;
  const make = (): Policy => makePolicy();
  const shared = make();
  const runOptions = (policy: Policy) => ({ id: "run", mode: "gate" as const, clock: manualClock({ step: 1 }).now, policies: [policy], ...(graph !== undefined && { graph }) });

  function logOf(policy: Policy): readonly RunEvent[] {
    const { run } = assembleRun<string>(runOptions(policy));
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    feed(run, facts);
    return events;
  }

  describe(`policy ${shared.name}`, () => {
    it("gives the same log for the same facts", () => {
      same(logOf(shared), logOf(shared), "Two runs with the same facts differ: the policy remembers outside its state, or reads a clock.");
    });

    it("never throws", () => {
      const failed = logOf(make()).find((event) => event.type === "policy.failed");
      if (failed !== undefined) throw new Error(`It threw: ${JSON.stringify(failed)}`);
    });

    it("changes nothing while deciding", () => {
      const { changed } = probe(make());
      if (changed !== undefined) throw new Error(`Its state changed in decide["${changed}"]; state changes in observe only.`);
    });

    it("goes on the same way when its log is read back at any point", () => {
      const log = logOf(make());
      const text = log.map((event) => JSON.stringify(event));
      for (let cut = 1; cut <= log.length; cut += 1) {
        const stored = text.slice(0, cut).map((line): unknown => JSON.parse(line));
        const { run, missing } = replayRun<string>(stored, runOptions(make()));
        const resumed = [...text.slice(0, cut), ...missing.map((event) => JSON.stringify(event))];
        run.subscribe((step) => resumed.push(...step.map((event) => JSON.stringify(event))));
        for (const event of log.slice(cut)) if (isHostFact(event)) run.record(event as NewFact);
        same(resumed, text, `A log cut after event ${String(cut)} goes on differently.`);
      }
    });

    it("keeps bounded memory", () => {
      const { size } = probe(make());
      const early = size(5000, endless);
      const late = size(20_000, endless);
      if (late > early * 1.5 + 1000) throw new Error(`Its state grew from ${String(early)} to ${String(late)} characters between 5,000 and 20,000 facts.`);
    });
  });

  /** Runs a policy with eyes on its state. */
  function probe(policy: Policy): { readonly changed: string | undefined; readonly size: (count: number, nth: (n: number) => NewFact) => number } {
    let state: unknown;
    let changed: string | undefined;
    const watched: Policy = {
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
    feed(assembleRun<string>(runOptions(watched)).run, facts);
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
}

function differentFiles(n: number): NewFact {
  if (n % 2 === 0) return { type: "turn.started" };
  return { type: "tool.finished", tool: "Read", call: `c${String(n)}`, outcome: n % 7 === 0 ? "error" : "ok", input: { path: `src/file-${String(n)}.ts` }, output: `text ${String(n)}` };
}

/** A text that shows every change of a state, Maps and Sets included. */
function digest(state: unknown): string {
  return JSON.stringify({ state }, (_key, value: unknown) =>
    value instanceof Map ? { map: [...(value as ReadonlyMap<unknown, unknown>)] } : value instanceof Set ? { set: [...(value as ReadonlySet<unknown>)] } : value,
  );
}

function same(found: readonly unknown[], expected: readonly unknown[], problem: string): void {
  const text = (items: readonly unknown[]): string => items.map((item) => (typeof item === "string" ? item : JSON.stringify(item))).join("\n");
  if (text(found) !== text(expected)) throw new Error(`${problem}\n--- expected\n${text(expected)}\n--- found\n${text(found)}`);
}
