import {
  defineEvent,
  definePolicy,
  type Emit,
  emit,
  type Nudge,
  nudge,
  type Policy,
  type Reason,
  refuse,
  type Refuse,
  review,
  type Review,
  type RunView,
  stop,
  type Stop,
} from "@phasekit/core";
import { assertNumbers, CLOSING_TEXT, setBounded, tableOf } from "@phasekit/core/adapter";
import { alertText, nameCall } from "./alert-text.ts";
import { correctionsState, sameFailureState } from "./limits/breakers.ts";
import { buildReview } from "./review/build-review.ts";
import { kindOfStall } from "./stall/kind-of-stall.ts";
import { stallState } from "./stall/stall-state.ts";

/** Options for `escalation()`. All optional. */
export interface EscalationOptions {
  /**
   * The level of the stall at which the agent gets one closing turn without tools. A repeated call is refused at 60 %
   * of it, a reviewer is asked at 80 % of it. For the last two, a level counts up to twice when new work landed long
   * ago. @default 14
   */
  readonly stopAt?: number;
  /** False to leave reviews out, for runs without a reviewer. @default true */
  readonly reviews?: boolean;
  /**
   * Nudges about one stall or limit, as far as the run's own `nudges.perEpisode` (2) allows. With 0, nothing above a
   * nudge happens to a stall either. @default 2
   */
  readonly nudges?: number;
  /**
   * Turns an agent gets to act on a nudge before anything above it happens. With 0, a call that was repeated twice is
   * refused as soon as the agent has read a nudge about it, whatever the level. @default 2
   */
  readonly grace?: number;
  /** The text of a nudge. @default the numbers of this moment, and one thing to do instead */
  readonly text?: (advice: Advice) => string;
}

/** Advice that is about to be sent as a nudge. */
export interface Advice {
  /** The kind of the alert, such as `stall` or `cumulative-loop`. */
  readonly kind: string;
  /** The text that is sent by default. */
  readonly text: string;
}

/** A level above the nudge that an episode reached. */
interface Escalation {
  readonly episode: string;
  readonly level: "refuse" | "review" | "stop";
}

/** Recorded once for every level above the nudge that an episode reaches, in every mode. */
const escalated = /* @__PURE__ */ defineEvent<Escalation>("watchdog.escalation");

/** One thing to escalate: a stall, or a limit that was crossed. */
interface Concern {
  readonly kind: string;
  readonly episode: string;
  /** Other policies' nudges with this topic give way. */
  readonly topic: string;
  /** Advice for the agent; `undefined` if the agent can do nothing about it. */
  readonly text: string | undefined;
  readonly reason: Reason;
  /** Grows while the agent continues as before. */
  readonly measure: number;
  readonly reviewFrom: number;
  readonly stopFrom: number;
}

/** The steps taken for one concern. */
interface Episode {
  nudges: number;
  /** The turn of the first nudge. */
  nudgedIn: number;
  /** The measure at the newest step. */
  measure: number;
  readonly levels: Set<string>;
}

interface EscalationState {
  readonly episodes: Map<string, Episode>;
}

const NAME = "escalation";
/** Turns without new work after which a level counts twice. */
const PATIENCE = 20;
const MAX_EPISODES = 32;
const REFUSE = 0.6;
const REVIEW = 0.8;

/** Alerts that lead to a nudge and to nothing else. */
const ADVICE_ONLY = /* @__PURE__ */ new Set(["chanting", "shared-call"]);

/** Limits that end a run in mode `gate`, each for a reason of its own. */
const REASONS: Readonly<Record<string, Reason>> = tableOf({
  stagnation: "aborted_stagnation",
  "cumulative-loop": "aborted_cumulative_loop",
  "quota-floor": "rate_limit_mid_run",
  "upstream-errors": "upstream_unhealthy",
});

/**
 * Turns the level of `stall()`, and limits that were crossed, into consequences: a nudge, a second one, the refusal of
 * a repeated call, a review, one closing turn, stop. Everything above the nudge waits until the agent had two turns to
 * act on a nudge, takes one step at a time, and is carried out in mode `gate` only. The default stops late: it ends
 * few runs that would have succeeded. `stopAt: 9` ends more failing runs earlier; docs/watchdog.md has the curve.
 *
 * @example
 * createRun({ mode: "gate", interpret: reading(), policies: [watchdog(), escalation()] })
 * @throws INVALID_OPTION if a number is not in its range.
 */
export function escalation({
  stopAt = 14,
  reviews = true,
  nudges = 2,
  grace = 2,
  text: textOf = (advice) => advice.text,
}: EscalationOptions = {}): Policy {
  assertNumbers({ stopAt, nudges, grace });
  const settings = { stopAt, reviews, nudges, grace, textOf };
  const measuredFor = (run: RunView, episode: string): number | undefined =>
    concernsOf(run, settings).find((concern) => concern.episode === episode)?.measure;

  return definePolicy<EscalationState>({
    name: NAME,
    version: "9",
    initial: () => ({ episodes: new Map() }),
    observe: {
      "nudge.sent": ({ episodes }, { by, episode }, run) => {
        if (by !== NAME) return;
        const before = episodes.get(episode);
        const measure = measuredFor(run, episode) ?? 0;
        if (before !== undefined) before.nudges += 1;
        else
          setBounded(episodes, [episode, { nudges: 1, nudgedIn: run.turn, measure, levels: new Set() }], MAX_EPISODES);
      },
      "event.emitted": ({ episodes }, event, run) => {
        if (!escalated.is(event)) return;
        const { episode, level } = event.data;
        const before = episodes.get(episode) ?? { nudges: 0, nudgedIn: run.turn, measure: 0, levels: new Set() };
        before.levels.add(level);
        if (level !== "refuse") before.measure = measuredFor(run, episode) ?? before.measure;
        setBounded(episodes, [episode, before], MAX_EPISODES);
      },
      "message.received": ({ episodes }) => {
        episodes.clear();
      },
    },
    decide: {
      "turn.started": (run, { episodes }) =>
        concernsOf(run, settings).flatMap((concern) =>
          stepsFor(run, concern, { before: episodes.get(concern.episode), settings }),
        ),
      "tool.requested": (run, { episodes }, { meaning }) =>
        refuseRepetition(run, meaning.about, { episodes, settings }),
    },
  });
}

type Step = Nudge | Review | Stop | Emit;
const NONE: readonly never[] = [];

/** The options with their defaults. */
interface Settings extends Required<Omit<EscalationOptions, "text">> {
  readonly textOf: NonNullable<EscalationOptions["text"]>;
}

/** True if the agent got a nudge about this and had time to act on it. */
function hadGrace(run: RunView, episode: Episode | undefined, { grace }: Settings): boolean {
  return episode !== undefined && episode.nudges > 0 && run.turn - episode.nudgedIn >= grace;
}

function concernsOf(run: RunView, { stopAt, reviews }: Settings): readonly Concern[] {
  if (run.alerts.size === 0) return NONE;
  const concerns: Concern[] = [];
  const stalled = run.read(stallState);
  // Nothing is said or done against an answer that brought the run forward.
  if (stalled?.open === true && !stalled.progressed)
    concerns.push({
      kind: "stall",
      episode: `stall:${stalled.episode}`,
      topic: stalled.recent.at(-1)?.failed === true ? "failures" : "stall",
      text: alertText(run, "stall"),
      reason: "aborted_stagnation",
      measure: stalled.level * impatience(run.turn, stalled.workedIn),
      reviewFrom: reviews ? stopAt * REVIEW : Infinity,
      // An agent that tries ends when the user's budget ends, and so does one whose answers the log does not show.
      stopFrom: stalled.blind || kindOfStall(stalled.recent) === "trying" ? Infinity : stopAt,
    });
  for (const { kind, signature, severity } of run.alerts.values()) {
    const reason = REASONS[kind];
    if (reason === undefined && !ADVICE_ONLY.has(kind)) continue;
    const from = reason !== undefined && severity === "critical" ? 0 : Infinity;
    concerns.push({
      kind,
      episode: `${kind}:${signature}`,
      topic: kind,
      text: alertText(run, kind),
      reason: reason ?? "aborted_stagnation",
      measure: measureOf(run, kind),
      reviewFrom: reviews ? from : Infinity,
      stopFrom: from,
    });
  }
  return concerns;
}

function stepsFor(
  run: RunView,
  concern: Concern,
  { before, settings }: { readonly before: Episode | undefined; readonly settings: Settings },
): readonly Step[] {
  const { nudges, textOf } = settings;
  const { episode, topic, text, reason, measure, reviewFrom, stopFrom } = concern;
  // The last turn has no next call to give advice for.
  const wrapUp = (why = "No progress."): readonly Step[] => [
    stop({ reason, how: "wrap-up", text: `${why} ${CLOSING_TEXT}`, onlyInGate: true }),
    emit(escalated, { episode, level: "stop" }),
  ];
  // Neither advice nor a review helps against a provider.
  if (text === undefined)
    return stopFrom === Infinity || before?.levels.has("stop") === true ? NONE : wrapUp(`${concern.kind}.`);
  const steps: Step[] =
    (before?.nudges ?? 0) < nudges
      ? [nudge(textOf({ kind: concern.kind, text }), { episode, topic, times: nudges, priority: 14 })]
      : [];
  if (!hadGrace(run, before, settings) || measure <= (before?.measure ?? 0)) return steps;
  const reviewed = before?.levels.has("review") === true;
  if (!reviewed && measure >= reviewFrom)
    steps.push(
      review({
        kind: "thrash",
        text: buildReview(run, { why: text, turns: run.turnsInPhase - 1 }),
        episode,
        onlyInGate: true,
      }),
      emit(escalated, { episode, level: "review" }),
    );
  else if ((reviewed || reviewFrom === Infinity) && measure >= stopFrom && before?.levels.has("stop") !== true)
    return wrapUp();
  return steps;
}

/** Refuses a call that was repeated although the agent had read a nudge about it. */
function refuseRepetition(
  run: RunView,
  about: string | undefined,
  { episodes, settings }: Readonly<EscalationState> & { readonly settings: Settings },
): readonly (Refuse | Emit)[] | undefined {
  const refuseAt = settings.grace === 0 ? 0 : settings.stopAt * REFUSE;
  const stalled = run.read(stallState);
  if (stalled?.open !== true || about === undefined || stalled.level < refuseAt) return undefined;
  const repeated = stalled.recent.filter((entry) => entry.about === about && entry.repeated);
  const last = repeated.at(-1);
  const episode = `stall:${stalled.episode}`;
  const before = episodes.get(episode);
  if (last === undefined || repeated.length < 2 || !hadGrace(run, before, settings)) return undefined;
  // Something has changed since: the answer may be another one.
  if (stalled.landings > last.landings) return undefined;
  const refusal = refuse(
    `Refused: ${nameCall(last)} got the same answer ${repeated.length + 1} times. ` +
      "It stays refused until something changes. Take another step.",
  );
  return before?.levels.has("refuse") === true ? [refusal] : [refusal, emit(escalated, { episode, level: "refuse" })];
}

/**
 * Grows from 1 to 2 in the turns since new work landed last. An agent that has never changed anything may have nothing
 * to change, so its level counts as it is.
 */
function impatience(turn: number, workedIn: number | undefined): number {
  return workedIn === undefined ? 1 : 1 + Math.min(1, (turn - workedIn) / PATIENCE);
}

function measureOf(run: RunView, kind: string): number {
  if (kind === "stagnation") return run.read(sameFailureState)?.count ?? 0;
  return kind === "cumulative-loop" ? (run.read(correctionsState)?.all ?? 0) : 1;
}
