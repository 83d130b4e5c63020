import { hashText } from "@phasekit/core/adapter";
import { type BlockRequest, noteBlock, whyWithhold, type WithheldWhy } from "../block-guard.ts";
import { blocked, blockWithheld } from "../hook-events.ts";
import type { Actor, SessionState } from "./session-state.ts";

type HoldRequest = Omit<BlockRequest, "sessionKnown" | "stateReadable">;

/** Asks the guard whether a refusal or a veto may reach an agent. The log says what came of it. */
export function mayBlock(state: SessionState, actor: Pick<Actor, "run" | "guard">, held: HoldRequest): boolean {
  const why = whyNotBlock(state, actor, held);
  if (why === undefined) {
    noteBlock(actor.guard, held);
    actor.run.record(blocked.record({ block: held.block, text: hashText(held.text) }));
    return true;
  }
  actor.run.record(blockWithheld.record({ block: held.block, why }));
  return false;
}

function whyNotBlock(
  { isKnown, isReadable }: SessionState,
  { guard }: Pick<Actor, "guard">,
  held: HoldRequest,
): WithheldWhy | undefined {
  return whyWithhold(guard, { ...held, sessionKnown: isKnown, stateReadable: isReadable });
}
