import { type Actor, edgesFrom, quote } from "@phasekit/core";
import type { RoutingCorrected } from "./conversation-facts.ts";
import { missingReflections } from "./cycle-policy.ts";
import type { Desk } from "./desk.ts";
import { renderQueued } from "./phase-lease.ts";

/** A move somebody wants, with everything the record keeps. */
export interface WantedMove {
  readonly to: string;
  /** Where the mover believes the conversation is, as a phase or a stay. */
  readonly from: string;
  readonly actor: Actor;
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly message?: string;
  readonly summary?: string;
}

/** Whether the conversation moved, and if not, why, in words for whoever wanted it. */
export type MoveAnswer = { readonly ok: true } | { readonly ok: false; readonly why: Extract<RoutingCorrected["why"], "refused-move" | "held" | "queued">; readonly text: string };

/** Moves a conversation if the graph, the gates and the lease of an exclusive phase allow it. */
export async function movePhase(desk: Desk, move: WantedMove): Promise<MoveAnswer> {
  const { run, lease, settings } = desk;
  const { view } = run;
  const left = view.phase;
  const { to, from, actor: by, id: agent, name, reason: why, message, summary } = move;
  const missing = left === settings.reflection && to !== left ? missingReflections(desk.cycle()) : [];
  if (missing.length > 0 && view.mode === "gate" && by !== "user" && by !== "judge") {
    return { ok: false, why: "held", text: `The phase ${quote(left)} is complete when everybody who took part has reflected. Still to come: ${missing.join(", ")}.` };
  }
  const entering = lease?.isExclusive(to) === true && lease.lease === undefined;
  // What the graph refuses anyway needs no lease.
  if (entering && view.canMove(to, by)) {
    const queued = await lease.hold(to);
    if (queued !== undefined) return { ok: false, why: "queued", text: renderQueued(to, queued) };
  }
  const moved = run.transition(to, { from, by, agent, name, why, ...(message !== undefined && { message }), ...(summary !== undefined && { summary }) });
  if (lease?.lease !== undefined && !lease.isExclusive(view.phase)) await lease.letGo(moved ? left : to, moved ? "the phase was left" : "the move was refused");
  return moved ? { ok: true } : { ok: false, why: "refused-move", text: refusalText(desk, to) };
}

function refusalText({ run: { view }, state, settings }: Desk, to: string): string {
  const { refusal } = state();
  if (refusal?.to === to && refusal.entry === view.phaseEntry) return refusal.text;
  const next = edgesFrom(settings.graph, view.phase).map((edge) => edge.to);
  return `From ${quote(view.phase)} a run may go to: ${next.join(", ") || "nowhere"}; not to ${quote(to)}.`;
}

/** What is handed over with the next record: what agents said since the last one. */
export function handedOver({ state }: Desk): { readonly message?: string; readonly summary?: string } {
  const { handing } = state();
  if (handing.length === 0) return {};
  return {
    message: handing.map(({ agent, text, summary }) => `${agent}: ${text === "" ? summary : text}`).join("\n\n"),
    summary: handing.map(({ agent, summary }) => `${agent}: ${summary}`).join("\n"),
  };
}
