import type { Transition } from "./decision.ts";
import { defined } from "./defined.ts";
import type { Deriving } from "./deriving.ts";
import type { Actor, HostEvent } from "./facts/run-event.ts";
import { hasReason, mayOverride } from "./fold-view.ts";
import { type MoveRefusal, skipWarning } from "./moves.ts";
import { identity } from "./view-state.ts";

/** Carries out a policy's transition. Of two moves for one fact the first wins. */
export function decideMove(deriving: Deriving, policy: string, decision: Transition): void {
  const { view } = deriving;
  const { to, reason, summary, outcome, endReason, predicate } = decision;
  const refusal: MoveRefusal | undefined =
    view.movedBy === deriving.cause()?.seq
      ? { why: "superseded", text: `The run moved to "${view.phase}" for the same fact.` }
      : deriving.whyNot({ to, actor: "policy" });
  move(deriving, { by: policy, actor: "policy", to, refusal, details: { reason, summary, outcome, endReason, predicate } });
}

/** Gives the graph's answer to a command. */
export function answerCommand(deriving: Deriving, event: HostEvent<"move.requested">): void {
  const { do: wanted, by: actor, to } = event;
  const by = event.name ?? actor;
  switch (wanted) {
    case "transition":
      if (to !== undefined) {
        const { why: reason, message, summary, outcome, reason: endReason, predicate, name, data, from } = event;
        const refusal = deriving.whyNot({ to, actor, from });
        move(deriving, { by, actor, to, refusal, details: { reason, message, summary, outcome, endReason, predicate, name, data } });
      }
      return;
    case "skip":
      skip(deriving, event, by);
      return;
    case "rollback":
      rollBack(deriving, event, by);
      return;
    case "stop": {
      const { reason = "cancelled", how = "halt", why } = event;
      deriving.derive("stop.requested", by, { reason, how, ...(why !== undefined && { text: why }), applied: true });
      return;
    }
    case "waive":
      if (!mayOverride(actor)) refuse(deriving, event, { why: "not-allowed", text: "Only a user or a judge may waive a gate." });
      else if (!hasReason(event)) refuse(deriving, event, { why: "no-reason", text: `Waiving the gate "${event.gate ?? ""}" needs a reason.` });
      return;
    case "suspend":
    case "resume":
      // The fold of the command itself is the answer.
      return;
  }
}

interface Details extends Omit<Transition, "decision" | "to"> {
  readonly message?: string | undefined;
  readonly name?: string | undefined;
  readonly data?: unknown;
}

function move(
  deriving: Deriving,
  wanted: { readonly by: string; readonly actor: Actor; readonly to: string; readonly refusal: MoveRefusal | undefined; readonly details: Details },
): void {
  const { view, derive } = deriving;
  const { by, actor, to, refusal, details } = wanted;
  if (to === view.phase && refusal?.why !== "stale") return;
  if (refusal !== undefined) {
    refuse(deriving, { do: "transition", by: actor, name: by, to }, refusal);
    return;
  }
  const { outcome = "completed", ...rest } = details;
  derive("phase.transition", by, {
    from: view.phase,
    to,
    actor,
    ...(defined(rest) as object),
    outcome,
    // A failed entry always says why.
    ...(outcome === "failed" && rest.endReason === undefined && rest.predicate === undefined && { predicate: "unknown" }),
    entry: view.phaseEntry,
    metrics: { ...view.entry },
  });
}

/** Records a refusal once per mover, move and phase entry. */
function refuse(
  { view, derive }: Deriving,
  { do: wanted, by: actor, name = actor, to }: Pick<HostEvent<"move.requested">, "do" | "by" | "name" | "to">,
  { why, text }: MoveRefusal,
): void {
  if (view.refusals.has(identity(name, wanted, to ?? ""))) return;
  derive("phase.refused", name, { do: wanted, from: view.phase, ...(to !== undefined && { to }), actor, why, text });
}

function skip(deriving: Deriving, event: HostEvent<"move.requested">, by: string): void {
  const { view, derive } = deriving;
  const { to = "", by: actor, why } = event;
  const refusal: MoveRefusal | undefined = !Object.hasOwn(view.graph.phases, to)
    ? { why: "unknown-phase", text: `The graph has no phase "${to}".` }
    : !mayOverride(actor)
      ? { why: "not-allowed", text: `Only a user or a judge may skip "${to}".` }
      : !hasReason(event)
        ? { why: "no-reason", text: `Skipping "${to}" needs a reason.` }
        : undefined;
  if (refusal !== undefined) refuse(deriving, event, refusal);
  else derive("phase.skipped", by, { phase: to, actor, why: why ?? "", warning: skipWarning(view, to) });
}

function rollBack(deriving: Deriving, event: HostEvent<"move.requested">, by: string): void {
  const { view, derive } = deriving;
  const { to, by: actor, why } = event;
  const earlier = view.entryList.slice(0, -1);
  const restored = to === undefined ? earlier.at(-1) : earlier.findLast(({ phase, name }) => phase === to || name === to);
  if (!mayOverride(actor)) refuse(deriving, event, { why: "not-allowed", text: "Only a user or a judge may roll a run back." });
  else if (view.status !== "running") refuse(deriving, event, { why: "status", text: `The run is ${view.status}.` });
  else if (restored === undefined) {
    const text = to === undefined ? "The run is in its first phase." : `The run has not been in "${to}" before.`;
    refuse(deriving, event, { why: "nothing-to-undo", text });
  } else {
    derive("phase.rolled-back", by, {
      from: view.phase,
      to: restored.phase,
      actor,
      ...(why !== undefined && { reason: why }),
      restores: restored.name,
      undone: view.entryList.length - 1 - view.entryList.lastIndexOf(restored),
      entry: view.phaseEntry,
      metrics: { ...view.entry },
    });
  }
}
