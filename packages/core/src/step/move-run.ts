import type { Transition } from "../policies/decision.ts";
import { defined } from "../text/defined.ts";
import type { DeriveContext } from "./derive-context.ts";
import type { Actor, HostEvent } from "../events/run-event.ts";
import { hasReason, mayOverride } from "../view/fold-view.ts";
import { type MoveRefusal, skipWarning } from "../graph/moves.ts";
import { quote } from "../text/quote.ts";
import { identity } from "../view/view-state.ts";

/** Carries out a policy's transition. Of two moves for one event the first wins. */
export function decideMove(context: DeriveContext, policy: string, decision: Transition): void {
  const { view } = context;
  const { to, reason, summary, outcome, endReason, predicate } = decision;
  const refusal: MoveRefusal | undefined =
    view.movedBy === context.cause()?.seq
      ? { why: "superseded", text: `The run moved to "${view.phase}" for the same event.` }
      : context.whyNot({ to, actor: "policy" });
  move(context, {
    by: policy,
    actor: "policy",
    to,
    refusal,
    details: { reason, summary, outcome, endReason, predicate },
  });
}

/** Gives the graph's answer to a command. */
export function answerCommand(context: DeriveContext, event: HostEvent<"move.requested">): void {
  const { do: wanted, by: actor, to } = event;
  const by = event.name ?? actor;
  switch (wanted) {
    case "transition":
      if (to !== undefined) {
        const { why: reason, message, summary, outcome, reason: endReason, predicate, name, data, from } = event;
        const refusal = context.whyNot({ to, actor, from });
        move(context, {
          by,
          actor,
          to,
          refusal,
          details: { reason, message, summary, outcome, endReason, predicate, name, data },
        });
      }
      return;
    case "skip":
      skip(context, event, by);
      return;
    case "rollback":
      rollBack(context, event, by);
      return;
    case "stop": {
      const { reason = "cancelled", how = "halt", why } = event;
      context.derive("stop.requested", by, { reason, how, text: why, applied: true });
      return;
    }
    case "waive":
      if (!mayOverride(actor))
        refuse(context, event, { why: "not-allowed", text: "Only a user or a judge may waive a gate." });
      else if (!hasReason(event))
        refuse(context, event, { why: "no-reason", text: `Waiving the gate "${event.gate ?? ""}" needs a reason.` });
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
  context: DeriveContext,
  wanted: {
    readonly by: string;
    readonly actor: Actor;
    readonly to: string;
    readonly refusal: MoveRefusal | undefined;
    readonly details: Details;
  },
): void {
  const { view, derive } = context;
  const { by, actor, to, refusal, details } = wanted;
  if (to === view.phase && refusal?.why !== "stale") return;
  if (refusal !== undefined) {
    refuse(context, { do: "transition", by: actor, name: by, to }, refusal);
    return;
  }
  const { outcome = "completed", ...rest } = details;
  derive("phase.transition", by, {
    from: view.phase,
    to,
    actor,
    ...(defined({ ...rest, reason: rest.reason ?? rest.summary ?? movedBy(actor, by) }) as object),
    outcome,
    // A failed entry always says why.
    ...(outcome === "failed" &&
      rest.endReason === undefined &&
      rest.predicate === undefined && { predicate: "unknown" }),
    entry: view.phaseEntry,
    metrics: { ...view.entry },
  });
}

/** The reason of a move that was given none. Without a name, the actor may be the default: it is unknown who asked. */
function movedBy(actor: Actor, by: string): string {
  return actor === by ? "No reason was given." : `The ${actor} ${quote(by)} asked for it.`;
}

/** Records a refusal once per mover, move and phase entry. */
function refuse(
  { view, derive }: DeriveContext,
  { do: wanted, by: actor, name = actor, to }: Pick<HostEvent<"move.requested">, "do" | "by" | "name" | "to">,
  { why, text }: MoveRefusal,
): void {
  if (view.refusals.has(identity(name, wanted, to ?? ""))) return;
  derive("phase.refused", name, { do: wanted, from: view.phase, to, actor, why, text });
}

function skip(context: DeriveContext, event: HostEvent<"move.requested">, by: string): void {
  const { view, derive } = context;
  const { to = "", by: actor, why } = event;
  const refusal: MoveRefusal | undefined = !Object.hasOwn(view.graph.phases, to)
    ? { why: "unknown-phase", text: `The graph has no phase "${to}".` }
    : !mayOverride(actor)
      ? { why: "not-allowed", text: `Only a user or a judge may skip "${to}".` }
      : !hasReason(event)
        ? { why: "no-reason", text: `Skipping "${to}" needs a reason.` }
        : undefined;
  if (refusal !== undefined) refuse(context, event, refusal);
  else derive("phase.skipped", by, { phase: to, actor, why: why ?? "", warning: skipWarning(view, to) });
}

function rollBack(context: DeriveContext, event: HostEvent<"move.requested">, by: string): void {
  const { view, derive } = context;
  const { to, by: actor, why } = event;
  const earlier = view.entryList.slice(0, -1);
  const restored =
    to === undefined ? earlier.at(-1) : earlier.findLast(({ phase, name }) => phase === to || name === to);
  if (!mayOverride(actor))
    refuse(context, event, { why: "not-allowed", text: "Only a user or a judge may roll a run back." });
  else if (view.status !== "running") refuse(context, event, { why: "status", text: `The run is ${view.status}.` });
  else if (restored === undefined) {
    const text = to === undefined ? "The run is in its first phase." : `The run has not been in "${to}" before.`;
    refuse(context, event, { why: "nothing-to-undo", text });
  } else {
    derive("phase.rolled-back", by, {
      from: view.phase,
      to: restored.phase,
      actor,
      reason: why ?? movedBy(actor, by),
      restores: restored.name,
      undone: view.entryList.length - 1 - view.entryList.lastIndexOf(restored),
      entry: view.phaseEntry,
      metrics: { ...view.entry },
    });
  }
}
