import { isObject, quote } from "@phasekit/core/adapter";
import { routingCorrected } from "../conversation/conversation-events.ts";
import { type ConversationRuntime, isWorking, reportError } from "../conversation/conversation-runtime.ts";
import { createSignal } from "../conversation/runtime-defaults.ts";
import { matchName } from "../rounds/routing-decision.ts";
import { withinTime } from "../within-time.ts";
import type { InitialPhase } from "./initial-phase.ts";

/** Asks for the phase of a new request. A strategy that fails or names no phase is recorded; the phase then stays. */
export async function chooseInitialPhase(
  runtime: ConversationRuntime,
  request: string,
): Promise<InitialPhase | undefined> {
  const { run, settings } = runtime;
  const { initialPhase, graph, routerTimeoutMs, schedule } = settings;
  if (initialPhase === undefined) return undefined;
  const { signal, abort } = createSignal();
  const asked = Promise.resolve().then<unknown>(() => initialPhase(request, { graph, run, signal }));
  const answer = await withinTime(asked, routerTimeoutMs, schedule);
  abort("The time to choose the initial phase is over.");
  if (answer.how === "late") {
    noteWrongBeginning(runtime, `The choice took longer than ${routerTimeoutMs} ms.`);
    return undefined;
  }
  if (answer.how === "error") {
    reportError(runtime, answer.error);
    const { error } = answer;
    noteWrongBeginning(runtime, `The choice failed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
  if (answer.value === undefined) return undefined;
  const { phase: wanted, reason } = isObject(answer.value) ? answer.value : {};
  const phases = Object.keys(graph.phases);
  const phase = typeof wanted === "string" ? matchName(wanted, phases) : undefined;
  if (phase !== undefined) return { phase, reason: typeof reason === "string" ? reason : "It was chosen." };
  const given = quote(wanted ?? answer.value);
  noteWrongBeginning(runtime, `The graph has no phase ${given}. It has: ${phases.join(", ")}.`);
  return undefined;
}

/** Records that a request begins in the current phase because the chosen one could not be entered. */
export function noteWrongBeginning(runtime: ConversationRuntime, why: string): void {
  const { run } = runtime;
  if (!isWorking(runtime)) return;
  const feedback = `The request begins in the phase ${quote(run.view.phase)}. ${why}`;
  run.record(routingCorrected.record({ why: "initial-phase", feedback, attempt: 0 }));
}
