import type { EventOf, Reason, RunEvent } from "@phasekit/core";

/** The first intervention of the policies, applied or not. */
interface FirstIntervention {
  readonly call: number;
  readonly what: "nudge" | "refusal" | "veto" | "stop";
  readonly by: string;
  /** The text for the agent; may quote foreign text. */
  readonly text: string;
  /** Tokens the run had spent by then; absent if unknown. */
  readonly tokens?: number;
}

/** The interventions of the policies: applied ones, or those of a stricter mode. */
export interface Interventions {
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  readonly first?: FirstIntervention;
  readonly stop?: { readonly call: number; readonly reason: Reason; readonly by: string; readonly tokens?: number };
}

/** Counts interventions, event by event. `counted` filters them; phase guidance never counts. */
export function createInterventionFold({
  counted,
}: {
  readonly counted: (event: { readonly applied: boolean }) => boolean;
}): {
  readonly add: (event: RunEvent, at: { readonly call: number; readonly tokens: number | undefined }) => void;
  readonly get: () => Interventions;
} {
  let nudges = 0;
  let refusals = 0;
  let vetoes = 0;
  let first: FirstIntervention | undefined;
  let stop: Interventions["stop"];

  type At = { readonly call: number; readonly tokens: number | undefined };
  const spent = ({ tokens }: At): { readonly tokens?: number } => (tokens === undefined ? {} : { tokens });
  function noteFirst(
    what: FirstIntervention["what"],
    { by, text = "" }: { readonly by: string; readonly text?: string },
    at: At,
  ): void {
    first ??= { call: at.call, what, by, text, ...spent(at) };
  }

  function add(event: RunEvent, at: At): void {
    switch (event.type) {
      case "nudge.sent":
        if (event.guidance === true || !counted(event)) return;
        nudges += 1;
        return noteFirst("nudge", event, at);
      case "tool.refused":
        if (!counted(event)) return;
        refusals += 1;
        return noteFirst("refusal", event, at);
      case "finish.vetoed":
        if (!counted(event) || event.held !== undefined) return;
        vetoes += 1;
        return noteFirst("veto", event, at);
      case "stop.requested":
        return takeStop(event, at);
      default:
        return;
    }
  }

  function takeStop(event: EventOf<"stop.requested">, at: At): void {
    if (!counted(event)) return;
    stop ??= { call: at.call, reason: event.reason, by: event.by, ...spent(at) };
    noteFirst("stop", event, at);
  }

  return {
    add,
    get: () => ({
      nudges,
      refusals,
      vetoes,
      ...(first !== undefined && { first }),
      ...(stop !== undefined && { stop }),
    }),
  };
}
