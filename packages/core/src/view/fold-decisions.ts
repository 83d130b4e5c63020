import { appendBounded, setBounded } from "../text/bounded.ts";
import { defined } from "../text/defined.ts";
import type { DerivedEvent } from "../events/run-event.ts";
import { findingOf } from "../account/evidence.ts";
import type { SentNudge } from "./run-view.ts";
import { identity, VIEW_LIMITS, type ViewState } from "./view-state.ts";

/** A nudge that was sent: its episode, its policy and the entry have spoken once more. */
export function foldNudge(view: ViewState, event: DerivedEvent<"nudge.sent">): void {
  const { nudge, by: policy, episode, text, seq, guidance = false, applied } = event;
  const sent: SentNudge = Object.freeze({ nudge, policy, episode, text, turn: view.turn, seq, guidance, applied });
  const key = identity(policy, episode);
  view.nextNudge += 1;
  view.nudges = appendBounded(view.nudges, sent, VIEW_LIMITS.nudges);
  view.turnNudges.push(sent);
  setBounded(view.episodes, [key, (view.episodes.get(key) ?? 0) + 1], VIEW_LIMITS.episodes);
  view.nudgeCounts.set(policy, (view.nudgeCounts.get(policy) ?? 0) + 1);
  if (guidance) return;
  view.sentInEntry += 1;
  view.spokeAt.set(policy, view.turn);
  setBounded(view.openNudges, [nudge, sent], VIEW_LIMITS.nudges);
}

/** A nudge that never reached the agent. */
export function foldLostNudge(view: ViewState, id: string): void {
  view.nudges = Object.freeze(
    view.nudges.map((sent) => (sent.nudge === id ? Object.freeze({ ...sent, applied: false }) : sent)),
  );
  const lost = view.openNudges.get(id);
  if (lost === undefined) return;
  view.openNudges.delete(id);
  const key = identity(lost.policy, lost.episode);
  const times = view.episodes.get(key);
  // The agent never got it, so it may be sent once more, without a cooldown.
  if (times !== undefined) view.episodes.set(key, times - 1);
  view.spokeAt.delete(lost.policy);
}

/** An alert that is new or got worse. */
export function foldAlert(view: ViewState, event: DerivedEvent<"alert.raised">): void {
  const { by: policy, kind, signature, severity, count, subject, evidence, on, seq } = event;
  const key = identity(policy, kind, signature);
  const first = view.alerts.get(key)?.seq ?? seq;
  const { turn } = view;
  view.alerts.set(key, defined({ policy, kind, signature, severity, count, on, seq: first, turn, subject, evidence }));
}

/** An objection to a finish. */
export function foldVeto(view: ViewState, event: DerivedEvent<"finish.vetoed">): void {
  const { finish } = view;
  if (finish === undefined) return;
  foldFinding(view, event);
  if (event.held !== "waived") finish.unmet.push({ gate: event.gate, text: event.text });
  if (event.applied) finish.texts.push(event.text);
  if (event.held !== undefined) return;
  setBounded(view.vetoedAt, [event.gate, view.toolCalls], VIEW_LIMITS.waivers);
  if (finish.vetoed) return;
  finish.vetoed = true;
  view.vetoesSinceProgress += 1;
  view.vetoesInAll += 1;
}

/** The answer of a gate. */
export function foldFinding(view: ViewState, event: DerivedEvent<"finish.vouched" | "finish.vetoed">): void {
  const finding = findingOf(event);
  if (finding !== undefined) view.finish?.gates.push(finding);
}
