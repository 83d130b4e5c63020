import {
  type Alert,
  alert,
  definePolicy,
  type EventOf,
  expectationSet,
  type Policy,
  type RunEvent,
  type Severity,
} from "@phasekit/core";
import { assertNumbers, defined, setBounded } from "@phasekit/core/adapter";
import { ATTEMPT, foldCall, REPEAT } from "./fold-call.ts";
import { kindOfStall } from "./kind-of-stall.ts";
import { nameCause } from "./name-cause.ts";
import { namePattern } from "./name-pattern.ts";
import { createStallState, type StallState, stallState } from "./stall-state.ts";

/** Options for `stall()`. All optional. */
export interface StallOptions {
  /** The level from which a run is stalled. @default 4.5 */
  readonly alertAt?: number;
}

/** An alert is a warning, then critical, when the level has grown by these factors. */
const WARNING = 1.6;
const CRITICAL = 2.4;
/** Texts in a row that are not yet a monologue. */
const MAX_TALK = 2;
const MAX_TEXTS = 64;
const MAX_SHARED = 512;

/**
 * One alert for an agent that keeps acting and learns and changes nothing. Every call adds what it costs to a level and
 * takes off what it pays: repeated calls and answers without news cost, new work and new answers pay. A message of the
 * user and the guidance of a review reset the level. The alert `stall` is open while the level is at or above `alertAt`
 * and clears at half of it. A weak alert, `repeat`, marks a call that repeats the one before it.
 *
 * Needs `reading()` from `@phasekit/reading`, which measures how much of an answer is new.
 *
 * @example
 * createRun({ interpret: reading(), policies: [stall(), escalation()] })
 * @throws INVALID_OPTION if `alertAt` is not a number.
 */
export function stall({ alertAt = 4.5 }: StallOptions = {}): Policy {
  assertNumbers({ alertAt });
  function judge(state: StallState): void {
    if (!state.open && state.level >= alertAt) {
      state.open = true;
      state.episode += 1;
    } else if (state.open && state.level < alertAt / 2) state.open = false;
    if (!state.open && !state.repeating) state.alerts = NONE;
    else
      state.alerts = [
        ...(state.open ? [stallAlert(state, severityAt(state.level / alertAt))] : []),
        ...(state.repeating ? [repeatAlert(state)] : []),
      ];
  }

  /** An observer that folds an event and judges the level afterwards. */
  const judging =
    <E>(fold: (state: StallState, event: E) => void) =>
    (state: StallState, event: E): void => {
      fold(state, event);
      judge(state);
    };

  return definePolicy<StallState>({
    name: "stall",
    version: "7",
    key: stallState,
    alerts: "complete",
    needs: ({ interpreters }) =>
      interpreters.every((name) => BY_NAME.has(name))
        ? "it needs `interpret: reading()` of @phasekit/reading, which tells how much of an answer is new"
        : undefined,
    initial: createStallState,
    observe: {
      "tool.requested": (state, { meaning }) => {
        state.talk = undefined;
        state.thought = undefined;
        state.requested = meaning.about;
      },
      "tool.finished": (state, event) => {
        if (event.outcome === "denied") return;
        foldCall(state, event);
        judge(state);
      },
      "tool.refused": (state, { applied }) => {
        if (applied) foldRefusal(state);
        judge(state);
      },
      "message.sent": judging(foldText),
      "model.reasoned": judging(foldThought),
      "workspace.observed": judging(foldWorkspace),
      "child.progressed": judging(foldChild),
      "event.emitted": foldExpectation,
      "event.recorded": foldExpectation,
      "message.received": reset,
      // Guidance of a review counts like a message: the level shows what came of it.
      "nudge.sent": (state, { by }) => {
        if (by === "review") reset(state);
      },
    },
    decide: {
      "tool.finished": alertsOf,
      "message.sent": alertsOf,
      "model.reasoned": alertsOf,
      "workspace.observed": alertsOf,
      "child.progressed": alertsOf,
      "turn.started": alertsOf,
      "message.received": alertsOf,
    },
  });
}

/** Interpreters that read names of tools and no answers. One of your own may tell what is new, too. */
const BY_NAME = /* @__PURE__ */ new Set(["name-table", "described-tools", "delivery"]);

const NONE: readonly Alert[] = [];
const alertsOf = (_run: unknown, { alerts }: Readonly<StallState>): readonly Alert[] => alerts;

function reset(state: StallState): void {
  Object.assign(state, { ...createStallState(), episode: state.episode });
}

function foldExpectation(state: StallState, event: RunEvent): void {
  if (expectationSet.is(event)) state.expected = event.data;
}

/** Adds what something other than an answer costs. */
function charge(state: StallState, cost: number): void {
  state.level += cost;
  state.progressed = false;
}

/** A refusal costs the agent nothing. To ask for the same again, with nothing changed in between, is a repetition. */
function foldRefusal(state: StallState): void {
  const { requested: about, landings, refused, open } = state;
  if (open && refused?.about === about && refused?.landings === landings) charge(state, REPEAT);
  state.refused = { about, landings };
}

/**
 * Folds a text into the level. A text costs something only when no call came since the last one: a repeated text costs
 * like a repeated call, and the third message of one agent in a row is a monologue. Texts of one turn are pieces of one
 * message, unless they end like a sentence: a piece of a table or a list does not.
 */
function foldText(
  state: StallState,
  { agent, hash, turn = 0, excerpt = "" }: Pick<EventOf<"message.sent">, "agent" | "hash" | "turn" | "excerpt">,
): void {
  // Rules and boxes say nothing, so they say nothing again.
  if (!/[\p{L}\p{N}]/u.test(excerpt)) return;
  const { talk } = state;
  const isMessage = turn !== talk?.turn || /\p{STerm}$/u.test(excerpt);
  const count = talk?.agent === agent ? (talk?.count ?? 0) + Number(isMessage) : 1;
  if (talk !== undefined && state.texts.has(hash)) charge(state, REPEAT);
  else if (isMessage && count > MAX_TALK) charge(state, 1);
  setBounded(state.texts, [hash, true], MAX_TEXTS);
  state.talk = { agent, count, turn };
}

/** Folds reasoning: the same thoughts again, without a call in between, cost like a repeated text. */
function foldThought(state: StallState, { hash }: Pick<EventOf<"model.reasoned">, "hash">): void {
  if (state.thought === hash) charge(state, REPEAT);
  state.thought = hash;
}

/** Folds a look at the workspace: an unchanged one costs like a call that says nothing new, a changed one pays. */
function foldWorkspace(state: StallState, { hash }: EventOf<"workspace.observed">): void {
  if (hash === undefined) return;
  if (hash === state.workspace) state.level += 1;
  else if (state.workspace !== undefined) state.level = 0;
  state.workspace = hash;
}

/** Folds the calls of child runs: a call that another child made before costs half a call. */
function foldChild(state: StallState, { child, fingerprints = [] }: EventOf<"child.progressed">): void {
  for (const call of fingerprints) {
    const first = state.shared.get(call);
    if (first === undefined) setBounded(state.shared, [call, child], MAX_SHARED);
    else if (first !== child) state.level += ATTEMPT;
  }
}

function severityAt(factor: number): Severity {
  return factor >= CRITICAL ? "critical" : factor >= WARNING ? "warning" : "notice";
}

function stallAlert(state: Readonly<StallState>, severity: Severity): Alert {
  const { level, recent, episode } = state;
  const pattern = namePattern(recent);
  const cause = nameCause(state);
  return alert({
    kind: "stall",
    signature: String(episode),
    severity,
    count: pattern?.count ?? 1,
    ...defined({ subject: pattern?.call.about }),
    evidence: defined({
      level: Math.round(level * 10) / 10,
      pattern: pattern?.name ?? "text",
      stall: kindOfStall(recent),
      cause: cause?.name,
    }),
  });
}

function repeatAlert({ recent }: Readonly<StallState>): Alert {
  const subject = recent.at(-1)?.about ?? "";
  return alert({ kind: "repeat", signature: subject, count: 2, subject });
}
