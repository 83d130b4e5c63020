import { defineFact, definePolicy, type Emit, emit, type Nudge, nudge, type Policy, type Reason, type Refuse, refuse, type Review, review, type RunView, type Stop, stop } from "@phasekit/core";
import { buildReview } from "./build-review.ts";
import { type Call, readCall } from "./call.ts";
import { labelOf } from "./fingerprint.ts";
import { foldCleared, foldRaised, goRound, isPatient, type LoopRecord, patienceWith, relieve, roundsOf, type Rung } from "./loop-record.ts";
import { nudgeText } from "./nudge-texts.ts";

/** How patient the ladder is. Counts are rounds of one loop: equal calls, cycles, turns. */
export interface EscalationOptions {
  /** Nudges about one loop. @default 2 */
  readonly nudges?: number;
  /** Rounds after which the call is refused. @default 5 */
  readonly refuseAfter?: number;
  /** Rounds after which a review is asked for. @default 6 */
  readonly reviewAfter?: number;
  /** Rounds after which the agent gets one closing turn without tools. @default 8 */
  readonly stopAfter?: number;
  /** Whether a review is a rung of the ladder; without anybody to answer it is only in the way. @default true */
  readonly reviews?: boolean;
}

/** One step of the ladder and what it rests on. */
export interface EscalationStep {
  readonly loop: string;
  readonly kind: string;
  readonly rung: Rung;
  readonly rounds: number;
  readonly evidence?: unknown;
}

/** Recorded whenever a loop climbs a rung. */
export const escalationStepped = /* @__PURE__ */ defineFact<EscalationStep>("watchdog.escalation");

interface EscalationState {
  readonly loops: Map<string, LoopRecord>;
}

const NAME = "escalation";
const CLOSING = "This is the last turn: use no tools; say what is done, what is not, and what should happen next.";
const RANK: Readonly<Record<Rung, number>> = { notice: 0, nudge: 1, refuse: 2, review: 3, "wrap-up": 4, stop: 5 };

/** Kinds of facts that bring an alert up again, beside calls and turns. */
const RENEWING = [
  "message.sent", "model.answered", "model.failed", "validation.failed", "operation.finished", "check.finished",
  "quota.observed", "workspace.observed", "question.asked", "child.progressed", "child.finished", "output.produced", "claim.submitted",
] as const;

/** Alerts that end a run for a reason of their own. */
const REASONS: Readonly<Record<string, Reason>> = {
  stagnation: "aborted_stagnation",
  "cumulative-loop": "aborted_cumulative_loop",
  "quota-floor": "rate_limit_mid_run",
  "upstream-errors": "upstream_unhealthy",
};

/**
 * Turns alerts into a ladder: notice, nudge, refuse the call, review, a closing turn without tools, stop. How far it
 * climbs follows from severity, rounds and nudges that were ignored; weak evidence, in which the arguments differ, never
 * gets past a nudge. Progress takes it a rung down, and what nothing has renewed since climbs no further. Above the nudge
 * everything is carried out in mode `gate` only; in other modes the log says what would have been.
 *
 * @example
 * createRun({ mode: "gate", interpret: [nameTableInterpreter(), fingerprints()], policies: [watchdog(), escalation()] })
 */
export function escalation({ nudges = 2, refuseAfter = 5, reviewAfter = 6, stopAfter = 8, reviews = true }: EscalationOptions = {}): Policy<EscalationState> {
  function atTurn(run: RunView, { loops }: Readonly<EscalationState>): readonly (Nudge | Review | Stop | Emit)[] | undefined {
    const worst = loops.size === 0 ? undefined : worstOf(loops);
    if (worst === undefined) return undefined;
    const decisions: (Nudge | Review | Stop | Emit)[] = [];
    const rounds = roundsOf(worst);
    const text = nudgeText(worst, rounds);
    if (text !== undefined) {
      decisions.push(nudge(text, { episode: worst.loop, topic: worst.loop, times: isPatient(worst) ? 1 : nudges, priority: 10 }));
      if (worst.nudges < nudges) decisions.push(...step(worst, "nudge"));
    }
    const opened = Object.hasOwn(REASONS, worst.kind) && worst.severity === "critical";
    if (isPatient(worst) && !opened) return decisions;
    const due = opened ? stepsOfBreaker(worst, text === undefined) : stepsOfLoop(worst, text === undefined);
    if (due.review) {
      decisions.push(review({ kind: "thrash", text: buildReview(run, { why: text ?? worst.kind }), episode: `${worst.loop}:${String(worst.relief)}`, graded: true }), ...step(worst, "review"));
    }
    if (due.stop) {
      const reason = REASONS[worst.kind] ?? "aborted_stagnation";
      decisions.push(stop({ reason, how: "wrap-up", text: `${text ?? worst.kind} ${CLOSING}`, graded: true }), ...step(worst, "wrap-up"));
    }
    return decisions;
  }

  /** A loop climbs with its rounds and with what was ignored. */
  function stepsOfLoop(record: LoopRecord, untold: boolean): Due {
    const rounds = roundsOf(record) / patienceWith(record.kind);
    const ignored = record.nudges >= nudges || record.refusals >= 2 || untold;
    return { review: reviews && (record.nudges >= 1 || untold) && rounds >= reviewAfter, stop: ignored && rounds >= stopAfter };
  }

  /**
   * A breaker that opened needs no more rounds, but it passes over no rung: its call is refused, then somebody is asked,
   * and only an agent that goes on all the same is stopped.
   */
  function stepsOfBreaker(record: LoopRecord, untold: boolean): Due {
    const { relieved, refusals, subject, reviewedAt } = record;
    if (relieved) return NOTHING_DUE;
    // What is about the provider or the quota cannot be refused, and no advice would help.
    if (untold) return { review: false, stop: true };
    const rounds = roundsOf(record);
    const ignored = record.nudges >= 1 && (subject === undefined || refusals >= 1 || rounds >= stopAfter);
    if (!ignored) return NOTHING_DUE;
    return reviews && reviewedAt === undefined ? { review: true, stop: false } : { review: false, stop: !reviews || rounds > (reviewedAt ?? 0) };
  }

  function atCall({ loops }: Readonly<EscalationState>, fingerprint: string | undefined): readonly (Refuse | Emit)[] | undefined {
    if (loops.size === 0 || fingerprint === undefined) return undefined;
    for (const record of loops.values()) {
      if (!record.open || record.subject !== fingerprint || isPatient(record)) continue;
      if (record.nudges < 1 || roundsOf(record) < refuseAfter * patienceWith(record.kind)) continue;
      return [refuse(refusalText(record)), ...step(record, "refuse")];
    }
    return undefined;
  }

  return definePolicy<EscalationState>({
    name: NAME,
    version: "3",
    initial: () => ({ loops: new Map() }),
    observe: {
      ...Object.fromEntries(RENEWING.map((type) => [type, ({ loops }: EscalationState) => { renew(loops, type); }])),
      "alert.raised": ({ loops }, event) => { foldRaised(loops, event); },
      "alert.cleared": ({ loops }, event) => { foldCleared(loops, event); },
      "nudge.sent": ({ loops }, { by, episode }) => {
        const record = by === NAME ? loops.get(episode) : undefined;
        if (record !== undefined) record.nudges += 1;
      },
      "review.requested": ({ loops }, { by, episode }) => {
        const record = by === NAME ? loops.get(episode.slice(0, episode.lastIndexOf(":"))) : undefined;
        if (record !== undefined) record.reviewedAt = roundsOf(record);
      },
      "tool.requested": ({ loops }, { meaning, type }) => {
        renew(loops, type);
        if (loops.size > 0) for (const record of loops.values()) if (record.open && record.subject === meaning.fingerprint && record.refusals > 0) goRound(record);
      },
      "tool.refused": ({ loops }, { by, text }) => {
        if (by === NAME) for (const record of loops.values()) if (record.open && text === refusalText(record)) record.refusals += 1;
      },
      "tool.finished": ({ loops }, event) => {
        if (loops.size === 0) return;
        renew(loops, event.type);
        const call = readCall(event);
        if (call === undefined) return;
        if (call.landed && event.meaning.mutates === true) relieve(loops);
        for (const record of loops.values()) if (record.open && isAnotherRound(record, call, event.seq)) goRound(record);
      },
      "turn.started": ({ loops }) => {
        if (loops.size === 0) return;
        // A loop without a call of its own goes round with the turns in which its detector could have taken it back.
        for (const record of loops.values()) {
          if (record.open && record.subject === undefined && (record.renewed || record.on === "turn.started")) goRound(record);
          record.renewed = false;
        }
      },
      "progress.made": ({ loops }) => { relieve(loops); },
      "message.received": ({ loops }) => { loops.clear(); },
      "fact.emitted": ({ loops }, event) => {
        if (!escalationStepped.is(event)) return;
        const { loop, rung } = event.data as unknown as EscalationStep;
        const record = loops.get(loop);
        if (record !== undefined) record.rung = rung;
      },
    },
    decide: {
      "turn.started": (run, state) => atTurn(run, state),
      "tool.requested": (_run, state, { meaning }) => atCall(state, meaning.fingerprint),
    },
  });
}

/** What follows for a loop in this turn, above the nudge. */
interface Due {
  readonly review: boolean;
  readonly stop: boolean;
}

const NOTHING_DUE: Due = { review: false, stop: false };

/** Whether a call is the loop once more: the same call without news, or the same failure of a call that names the same. */
function isAnotherRound({ kind, subject, raisedAt }: LoopRecord, { fingerprint, moved, failed }: Call, seq: number): boolean {
  if (subject === undefined || seq <= raisedAt) return false;
  return (subject === fingerprint && moved !== true) || (kind === "stagnation" && failed && labelOf(subject) === labelOf(fingerprint));
}

/** A fact of the kind an alert was raised at: if it is still open when the turn ends, it holds. */
function renew(loops: ReadonlyMap<string, LoopRecord>, type: string): void {
  if (loops.size > 0) for (const record of loops.values()) if (record.on === type) record.renewed = true;
}

/** The loop to speak about: that with the strongest evidence, then the most severe one, then the one with most rounds. */
function worstOf(loops: ReadonlyMap<string, LoopRecord>): LoopRecord | undefined {
  let worst: LoopRecord | undefined;
  for (const record of loops.values()) {
    if (!record.open) continue;
    if (worst === undefined || isWorse(record, worst)) worst = record;
  }
  return worst;
}

function isWorse(record: LoopRecord, than: LoopRecord): boolean {
  const mine = patienceWith(record.kind);
  const other = patienceWith(than.kind);
  if (mine !== other) return mine < other;
  const graver = RANKED[record.severity] - RANKED[than.severity];
  return graver > 0 || (graver === 0 && roundsOf(record) > roundsOf(than));
}

const RANKED = { notice: 0, warning: 1, critical: 2 } as const;

/** Records a rung once, when it is higher than the one before. */
function step(record: LoopRecord, rung: Rung): readonly Emit[] {
  if (RANK[rung] <= RANK[record.rung]) return [];
  const { loop, kind, evidence } = record;
  return [emit(escalationStepped, { loop, kind, rung, rounds: roundsOf(record), ...(evidence !== undefined && { evidence }) })];
}

/** What the agent reads instead of a result: the call, how often, and what came of it. */
function refusalText({ subject = "", evidence, kind, counted }: LoopRecord): string {
  const { error, result } = (evidence ?? {}) as { readonly error?: unknown; readonly result?: unknown };
  const failure = typeof error === "string" && error !== "" ? error : "";
  const last = failure !== "" ? ` The last error was: ${sentence(failure)}` : typeof result === "string" && result !== "" ? ` The last result was: ${sentence(result)}` : "";
  const how = failure !== "" || kind === "repeated-failure" ? "failed in the same way" : "brought nothing new";
  return `Not run: \`${labelOf(subject)}\` ${how} at least ${String(Math.max(counted, 5))} times.${last} Do something else; it will be run again once something has changed.`;
}

function sentence(words: string): string {
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
