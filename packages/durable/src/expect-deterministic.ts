import type { RunPort } from "@phasekit/core";
import { notDeterministic } from "./errors.ts";
import { logOf, markOf } from "./kept-log.ts";
import type { JournaledStep, WriteStep } from "./steps.ts";

/** An agent loop as an engine calls it: all work in steps made of `write`. Returns its run, made by `durableRun`. */
export type DurableLoop = (write: WriteStep) => Promise<RunPort>;

interface Entry {
  readonly name: string;
  readonly result: string;
}

/**
 * Fails if a loop cannot be replayed. Runs it once and writes a journal; then runs it again on that journal, on a host
 * whose clock and random numbers are others, and compares steps and events. Also fails if the run rejected an event,
 * because the loop then works and the policies are blind.
 *
 * @example
 * await expectDeterministic((write) => agentLoop({ id: "run-1", write, model, tools }));
 * @throws NOT_DETERMINISTIC
 */
export async function expectDeterministic(loop: DurableLoop): Promise<void> {
  const journal: Entry[] = [];
  const live = await loop(async (name, work) => {
    const result = await work();
    journal.push({ name, result: JSON.stringify(result) });
    return result;
  });
  const { rejected } = logOf(live);
  if (rejected !== undefined)
    throw notDeterministic(`the run rejected an event: ${JSON.stringify(rejected.issues)} in ${rejected.rejected}.`);
  const replayed = await onOtherHost(() => loop(readBack(journal)));
  if (markOf(live) !== markOf(replayed)) throw notDeterministic(firstDifference(live, replayed));
}

/** A journal that only answers. */
function readBack(journal: readonly Entry[]): WriteStep {
  let next = 0;
  return <TResult>(name: string): Promise<TResult> => {
    const entry = journal[next];
    next += 1;
    if (entry?.name !== name) {
      const then = entry === undefined ? "the loop had ended" : `it was "${entry.name}"`;
      return Promise.reject(notDeterministic(`step ${String(next)} is "${name}" in a replay; before, ${then}.`));
    }
    // Without its mark: a comparison of all events says more than the first step that notices.
    const { at, value } = JSON.parse(entry.result) as JournaledStep<unknown>;
    return Promise.resolve({ at, value } as TResult);
  };
}

function firstDifference(live: RunPort, replayed: RunPort): string {
  const [then, now] = [live, replayed].map((run) => logOf(run).events.map((event) => JSON.stringify(event)));
  const longest = Math.max(then?.length ?? 0, now?.length ?? 0);
  for (let index = 0; index < longest; index += 1)
    if (then?.[index] !== now?.[index])
      return `an event is ${now?.[index] ?? "missing"} in a replay; before, it was ${then?.[index] ?? "missing"}.`;
  return "an event differs that the loop has stored already.";
}

const DAY_MS = 86_400_000;

/** Runs work while clocks say another day, and random numbers are others. */
async function onOtherHost<TResult>(work: () => Promise<TResult>): Promise<TResult> {
  const RealDate = Date;
  class OtherDate extends RealDate {
    constructor(...args: readonly unknown[]) {
      super(...((args.length === 0 ? [OtherDate.now()] : args) as [number]));
    }
    static override now(): number {
      return RealDate.now() + DAY_MS;
    }
  }
  // eslint-disable-next-line no-restricted-globals -- a test replaces what a loop must not read
  const host = globalThis as { readonly performance?: object; readonly crypto?: object };
  const replaced: readonly (readonly [object: object | undefined, name: string, value: unknown])[] = [
    [host, "Date", OtherDate],
    [Math, "random", () => 0.5],
    [host.performance, "now", () => DAY_MS],
    [host.crypto, "randomUUID", () => "00000000-0000-4000-8000-000000000000"],
  ];
  const restores = replaced.map(([object, name, value]) => replaceMember(object, name, value));
  try {
    return await work();
  } finally {
    for (const restore of restores) restore();
  }
}

function replaceMember(object: object | undefined, name: string, value: unknown): () => void {
  if (object === undefined) return () => undefined;
  const own = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(object, name);
    else Object.defineProperty(object, name, own);
  };
}
