import {
  createCallCounter,
  createInterventionFold,
  type Intervention,
  type Interventions,
} from "@phasekit/ledger/story";
import type { StoryFold, RunReading } from "../logs/play-items.ts";

/** As much of a run as a back-test needs; a whole story costs several times as much. */
export interface ShortStory {
  readonly calls: number;
  /** Input and output tokens; absent if no answer reports them. */
  readonly tokens?: number;
  readonly interventions: Interventions;
}

/** Options for `createShortStory()`. */
export interface ShortStoryOptions {
  /** Which interventions count: in mode `observe` those that the policies would have made, too. */
  readonly counted: (event: { readonly applied: boolean }) => boolean;
  /** Called with each intervention that counts. */
  readonly onIntervention?: (found: Intervention) => void;
}

/** Folds the events of a run into a short story. */
export function createShortStory({ counted, onIntervention }: ShortStoryOptions): StoryFold<ShortStory> {
  const interventions = createInterventionFold({ counted });
  const isNewCall = createCallCounter();
  let calls = 0;
  let tokens: number | undefined;
  return {
    add: (event) => {
      if (isNewCall(event)) calls += 1;
      if (event.type === "model.answered" && (event.usage?.inputTokens ?? event.usage?.outputTokens) !== undefined)
        tokens = (tokens ?? 0) + (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
      else {
        const found = interventions.add(event, { call: calls, tokens });
        if (found !== undefined) onIntervention?.(found);
      }
    },
    get: () => ({ calls, ...(tokens !== undefined && { tokens }), interventions: interventions.get() }),
  };
}

/** Returns how a recorded run ended: as judged by a benchmark or grader, else as logged. */
function outcomeOf({ ending: { judged, reason } }: Pick<RunReading, "ending">): string {
  if (judged !== undefined) return judged.success ? "judged a success" : "judged a failure";
  return reason === undefined || reason === "done" ? "ended normally" : reason;
}

/** The interventions of one policy set on one run. */
export interface SimulatedRun {
  readonly run: string;
  readonly log: string;
  readonly outcome: string;
  readonly calls: number;
  readonly tokens?: number;
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  /** The first intervention, and the spending after it: an upper bound on the savings. */
  readonly first?: {
    readonly call: number;
    readonly what: string;
    readonly by: string;
    readonly callsAfter: number;
    readonly tokensAfter?: number;
  };
  readonly stop?: {
    readonly call: number;
    readonly reason: string;
    readonly by: string;
    readonly callsAfter: number;
    readonly tokensAfter?: number;
  };
}

/** Converts a run to a row. */
export function simulatedRun(reading: RunReading<ShortStory>, log: string): SimulatedRun {
  const {
    about,
    story: {
      calls,
      tokens,
      interventions: { nudges, refusals, vetoes, first, stop },
    },
  } = reading;
  const after = ({ call, tokens: then }: { readonly call: number; readonly tokens?: number }) => ({
    callsAfter: Math.max(0, calls - call),
    ...(tokens !== undefined && then !== undefined && { tokensAfter: tokens - then }),
  });
  return {
    run: about.id,
    log,
    outcome: outcomeOf(reading),
    calls,
    ...(tokens !== undefined && { tokens }),
    nudges,
    refusals,
    vetoes,
    ...(first !== undefined && { first: { call: first.call, what: first.what, by: first.by, ...after(first) } }),
    ...(stop !== undefined && { stop: { call: stop.call, reason: stop.reason, by: stop.by, ...after(stop) } }),
  };
}

/** How often one policy intervened. */
export interface PolicyTally {
  readonly policy: string;
  readonly runs: number;
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  readonly stops: number;
}

/** Counts the interventions of each policy over all runs. */
export function createPolicyTally(): {
  /** Begins a run; returns what counts an intervention in it. */
  readonly startRun: () => (found: Intervention) => void;
  readonly get: () => readonly PolicyTally[];
} {
  const byPolicy = new Map<string, { -readonly [K in Exclude<keyof PolicyTally, "policy">]: PolicyTally[K] }>();
  return {
    startRun: () => {
      const seen = new Set<string>();
      return ({ counts, event: { by } }) => {
        const tally = byPolicy.get(by) ?? { runs: 0, nudges: 0, refusals: 0, vetoes: 0, stops: 0 };
        byPolicy.set(by, tally);
        tally[counts] += 1;
        if (!seen.has(by)) tally.runs += 1;
        seen.add(by);
      };
    },
    get: () =>
      [...byPolicy]
        .map(([policy, tally]) => ({ policy, ...tally }))
        .sort((a, b) => b.runs - a.runs || (a.policy < b.policy ? -1 : 1)),
  };
}

/** The totals of a policy set over all runs. */
export interface SimulationTotals {
  readonly runs: number;
  readonly calls: number;
  readonly intervened: number;
  readonly stopped: number;
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  /** The median call number of the first intervention; absent without interventions. */
  readonly medianFirst?: number;
  /** Spending after the stops: an upper bound on the savings. */
  readonly callsAfterStop: number;
  readonly tokensAfterStop: number;
  readonly callsAfterFirst: number;
  readonly tokensAfterFirst: number;
  readonly byOutcome: readonly {
    readonly outcome: string;
    readonly runs: number;
    readonly intervened: number;
    readonly stopped: number;
  }[];
}

/** Sums up rows. */
export function totalsOf(rows: readonly SimulatedRun[]): SimulationTotals {
  const sum = (value: (row: SimulatedRun) => number | undefined): number =>
    rows.reduce((all, row) => all + (value(row) ?? 0), 0);
  const firsts = rows.flatMap(({ first }) => (first === undefined ? [] : [first.call])).sort((a, b) => a - b);
  const medianFirst = firsts[firsts.length >> 1];
  const outcomes = [...new Set(rows.map(({ outcome }) => outcome))].sort();
  return {
    runs: rows.length,
    calls: sum(({ calls }) => calls),
    intervened: firsts.length,
    stopped: rows.filter(({ stop }) => stop !== undefined).length,
    nudges: sum(({ nudges }) => nudges),
    refusals: sum(({ refusals }) => refusals),
    vetoes: sum(({ vetoes }) => vetoes),
    ...(medianFirst !== undefined && { medianFirst }),
    callsAfterStop: sum(({ stop }) => stop?.callsAfter),
    tokensAfterStop: sum(({ stop }) => stop?.tokensAfter),
    callsAfterFirst: sum(({ first }) => first?.callsAfter),
    tokensAfterFirst: sum(({ first }) => first?.tokensAfter),
    byOutcome: outcomes.map((outcome) => {
      const some = rows.filter((row) => row.outcome === outcome);
      return {
        outcome,
        runs: some.length,
        intervened: some.filter(({ first }) => first !== undefined).length,
        stopped: some.filter(({ stop }) => stop !== undefined).length,
      };
    }),
  };
}
