import type { RunPort } from "@phasekit/core";
import { defined, systemClock } from "@phasekit/core/adapter";
import { replayChanged } from "./errors.ts";
import { logOf, markOf } from "./kept-log.ts";

/** A step of an engine: does the work once, writes its result to the journal, and in a replay only returns that. */
export type WriteStep = <TResult>(name: string, work: () => Promise<TResult>) => Promise<TResult>;

/** The steps of one workflow, and the time that comes with their results. */
export interface Steps {
  /**
   * Does work in a step of the engine. Its result must be JSON. Steps may run in parallel; record their results after
   * all have ended, in the order of the calls.
   * @throws REPLAY_CHANGED if a run that follows the steps differs from the journal, and what the work throws
   */
  readonly step: <TResult>(name: string, work: () => TResult | Promise<TResult>) => Promise<TResult>;
  /** The latest time that came with a result; NaN before the first one. */
  readonly now: () => number;
  /** Compares a run with the journal at every step from here on; `durableRun({ steps })` calls it. */
  readonly follow: (run: RunPort) => void;
}

/** Options for `createSteps()`. */
export interface StepsOptions {
  /** Read once in each step, when its work is done; for tests. @default Date.now */
  readonly clock?: () => number;
}

/** Journal entry of an engine step. */
export interface JournaledStep<TResult> {
  readonly at: number;
  readonly value: TResult;
  /** The run before the step; see `markOf`. */
  readonly mark?: string;
  /** The parts of the run, in the first step it has: they tell people what changed. */
  readonly parts?: readonly string[];
}

/**
 * Makes steps from the engine's own. Each result carries the time it was made at, so the workflow needs no clock, and a
 * mark of the run so far: a workflow that was started with other policies or another version of Phasekit replays the
 * same, or fails with `REPLAY_CHANGED`.
 *
 * @example
 * createSteps((name, work) => DBOS.runStep(work, { name })); // DBOS
 * createSteps((name, work) => ctx.run(name, work)); // Restate
 * createSteps((_name, work) => work()); // Temporal: the work is an activity
 */
export function createSteps(write: WriteStep, { clock = systemClock }: StepsOptions = {}): Steps {
  let time = Number.NaN;
  let followed: RunPort | undefined;
  let parts: readonly string[] | undefined;
  return {
    step: async (name, work) => {
      const before = defined({ mark: followed === undefined ? undefined : markOf(followed), parts });
      parts = undefined;
      const stored = await write(name, async () => {
        const value = await work();
        return { at: clock(), value, ...before } satisfies JournaledStep<typeof value>;
      });
      if (before.mark !== undefined && stored.mark !== undefined && before.mark !== stored.mark)
        throw replayChanged(name, {
          at: `event ${stored.mark.replace(/:.*/, "")} there, ${before.mark.replace(/:.*/, "")} now`,
          changes: changesBetween(stored.parts, before.parts),
        });
      // The clocks of two machines differ, and parallel steps end in any order: time never goes back.
      time = Number.isNaN(time) ? stored.at : Math.max(time, stored.at);
      return stored.value;
    },
    now: () => time,
    follow: (run) => {
      followed = run;
      parts = partsOf(run);
    },
  };
}

/** Names the parts of a run; its header is its first event. */
function partsOf(run: RunPort): readonly string[] {
  const [header] = logOf(run).events;
  if (header?.type !== "run.started") return [];
  const { graph = "", mode, policies, interpreters } = header;
  const versioned = (kind: string, { name, version }: { readonly name: string; readonly version?: string }): string =>
    `${kind} ${name}${version === undefined ? "" : ` (version ${version})`}`;
  return [
    `graph ${graph}`,
    `mode ${mode}`,
    ...policies.map((part) => versioned("policy", part)),
    ...interpreters.map((part) => versioned("interpreter", part)),
  ];
}

function changesBetween(then: readonly string[] = [], now: readonly string[] = []): readonly string[] {
  return [
    ...now.filter((part) => !then.includes(part)).map((part) => `${part} was added`),
    ...then.filter((part) => !now.includes(part)).map((part) => `${part} was removed`),
  ];
}
