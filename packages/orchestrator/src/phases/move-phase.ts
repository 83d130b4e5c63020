import type { Actor } from "@phasekit/core";
import { defined, edgesFrom, quote } from "@phasekit/core/adapter";
import type { RoutingCorrection } from "../conversation/conversation-events.ts";
import { missingReflections } from "./cycle-policy.ts";
import type { ConversationRuntime } from "../conversation/conversation-runtime.ts";
import { renderQueuePlace } from "../leases/phase-lease.ts";

/** A requested move with everything the log records about it. */
export interface PhaseMoveRequest {
  readonly to: string;
  /** Phase or phase entry in which the mover believes the conversation is. */
  readonly from: string;
  readonly actor: Actor;
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly message?: string;
  readonly summary?: string;
}

/** Result of a move; if it was refused, the reason as a text for the mover. */
export type MoveAnswer =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly why: Extract<RoutingCorrection["why"], "refused-move" | "held" | "queued">;
      readonly text: string;
    };

/** Moves a conversation if the graph, the gates and the lease of an exclusive phase allow it. */
export async function movePhase(runtime: ConversationRuntime, move: PhaseMoveRequest): Promise<MoveAnswer> {
  const { run, lease, settings } = runtime;
  const { view } = run;
  const left = view.phase;
  const { to, from, actor: by, id: agent, name, reason: why, message, summary } = move;
  const missing = left === settings.reflection && to !== left ? missingReflections(runtime.cycle()) : [];
  if (missing.length > 0 && view.mode === "gate" && by !== "user" && by !== "judge") {
    return {
      ok: false,
      why: "held",
      text:
        `The phase ${quote(left)} is complete when every participant has reflected. ` +
        `Not yet: ${missing.join(", ")}.`,
    };
  }
  const entering = lease?.isExclusive(to) === true && lease.lease === undefined;
  // A move that the graph refuses needs no lease.
  if (entering && view.canMove(to, by)) {
    const queued = await lease.hold(to);
    if (queued !== undefined) return { ok: false, why: "queued", text: renderQueuePlace(to, queued) };
  }
  const moved = run.transition(to, {
    from,
    by,
    agent,
    name,
    why,
    ...defined({ message, summary }),
  });
  if (lease?.lease !== undefined && !lease.isExclusive(view.phase))
    await lease.letGo(moved ? left : to, moved ? why : "the move was refused");
  return moved ? { ok: true } : { ok: false, why: "refused-move", text: refusalText(runtime, to) };
}

function refusalText({ run: { view }, state, settings }: ConversationRuntime, to: string): string {
  const { refusal } = state();
  if (refusal?.to === to && refusal.entry === view.phaseEntry) return refusal.text;
  const next = edgesFrom(settings.graph, view.phase).map((edge) => edge.to);
  const options = next.join(", ") || "no phase";
  return `A run cannot move from ${quote(view.phase)} to ${quote(to)}. It can move to: ${options}.`;
}

/** The texts to hand over with the next move: what agents said since the last one. */
export function handedOver({ state }: ConversationRuntime): { readonly message?: string; readonly summary?: string } {
  const { handOffs } = state();
  if (handOffs.length === 0) return {};
  return {
    message: handOffs.map(({ agent, text, summary }) => `${agent}: ${text === "" ? summary : text}`).join("\n\n"),
    summary: handOffs.map(({ agent, summary }) => `${agent}: ${summary}`).join("\n"),
  };
}
