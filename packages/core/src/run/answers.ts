import { CLOSING_TEXT, renderNudges } from "./agent-texts.ts";
import { defined } from "../text/defined.ts";
import { evidenceAtEnd, isVerified } from "../account/evidence.ts";
import { troubleOf } from "./finish-reason.ts";
import { phaseSpec } from "../graph/phase-graph.ts";
import type { FinishAnswer, ToolAnswer, TurnAnswer } from "./run.ts";
import type { ViewState } from "../view/view-state.ts";

/** True if the host has to stop instead of starting another turn. */
export function mustStop(view: ViewState): boolean {
  if (view.status !== "running") return true;
  return view.stopped !== undefined && !(view.wrapUpTurn !== undefined && view.turn < view.wrapUpTurn);
}

function stopOf(view: ViewState): TurnAnswer["stop"] {
  if (view.status === "suspended") return { reason: "suspended", how: "halt" };
  if (view.status === "ended") return { reason: view.outcome?.reason ?? "interrupted", how: "halt" };
  if (view.stopped === undefined) return undefined;
  const { reason, how, text } = view.stopped;
  return defined({ reason, how, text });
}

/** The answer to `beforeTurn()`, from the view. */
export function turnAnswer(view: ViewState): TurnAnswer {
  const spec = phaseSpec(view.graph, view.phase);
  const wrapUp = view.status === "running" && view.wrapUpTurn === view.turn && view.turnOpen;
  const nudges = view.status === "running" ? view.turnNudges.filter(({ applied }) => applied) : [];
  const review = [...view.reviews.values()].find(({ applied }) => applied);
  const texts = [...nudges.map(({ text }) => text), ...(wrapUp ? [view.stopped?.text ?? CLOSING_TEXT] : [])];
  return {
    turn: view.turn,
    nudges,
    message: renderNudges(texts),
    tools: view.mode === "gate" ? spec?.tools : undefined,
    model: view.mode === "observe" ? undefined : spec?.model,
    review,
    wrapUp,
    stop: wrapUp ? undefined : stopOf(view),
  };
}

/** The answer to `beforeTool()`, from the view. */
export function toolAnswer(view: ViewState, call: string): ToolAnswer {
  if (view.status !== "running")
    return { allow: false, call, text: `The run is ${view.status}; no more tools are used.` };
  const refused = view.pending.get(call)?.refused;
  if (refused !== undefined) return { allow: false, call, text: refused.text };
  if (view.wrapUpTurn !== undefined && view.turn >= view.wrapUpTurn) return { allow: false, call, text: CLOSING_TEXT };
  return { allow: true, call };
}

/** The answer to `beforeFinish()`, from the view. */
export function finishAnswer(view: ViewState): FinishAnswer {
  const { texts = [], unmet = [], gates = [] } = view.finish ?? {};
  const evidence = evidenceAtEnd(troubleOf(view.lastAnswer) ?? "done", [...gates]);
  if (texts.length > 0 && view.status === "running")
    return { accept: false, text: renderNudges(texts) ?? "", evidence };
  return { accept: true, verified: isVerified(evidence), evidence, unmet: [...unmet] };
}
