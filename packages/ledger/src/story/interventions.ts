import type { Reason, RunEvent } from "@phasekit/core";
import { defined, toObject } from "@phasekit/core/adapter";

/** The first intervention of the policies, applied or not. */
interface FirstIntervention {
  readonly call: number;
  readonly what: "nudge" | "refusal" | "veto" | "stop";
  readonly by: string;
  /** False if Phasekit only would have intervened. */
  readonly applied: boolean;
  /** The text for the agent; may quote foreign text. */
  readonly text: string;
  /** Tokens the run had spent by then; absent if unknown. */
  readonly tokens?: number;
}

/** How often the policies intervened. */
export interface InterventionCounts {
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  readonly stops: number;
}

/** The interventions of the policies: all that were decided, and those of them that reached the agent. */
export interface Interventions extends InterventionCounts {
  readonly applied: InterventionCounts;
  readonly first?: FirstIntervention;
  readonly stop?: { readonly call: number; readonly reason: Reason; readonly by: string; readonly tokens?: number };
}

const COUNTS = { nudge: "nudges", refusal: "refusals", veto: "vetoes", stop: "stops" } as const;

/** Hooks record it when they let an agent finish whatever the gates say. */
const WITHHELD = "hooks.block-withheld";

/** Counts interventions, event by event. `counted` filters them; phase guidance never counts. */
export function createInterventionFold({
  counted,
}: {
  readonly counted: (event: { readonly applied: boolean }) => boolean;
}): {
  readonly add: (event: RunEvent, at: { readonly call: number; readonly tokens: number | undefined }) => void;
  readonly get: () => Interventions;
} {
  const decided = { nudges: 0, refusals: 0, vetoes: 0, stops: 0 };
  const applied = { nudges: 0, refusals: 0, vetoes: 0, stops: 0 };
  let first: FirstIntervention | undefined;
  /** The vetoes of the last finish, and what was first before them. */
  let lastFinish: { vetoes: number; readonly first: FirstIntervention | undefined } = { vetoes: 0, first: undefined };
  let stop: Interventions["stop"];

  type At = { readonly call: number; readonly tokens: number | undefined };
  const spent = ({ tokens }: At): { readonly tokens?: number } => (tokens === undefined ? {} : { tokens });
  function note(
    what: FirstIntervention["what"],
    event: { readonly by: string; readonly text?: string; readonly applied: boolean },
    at: At,
  ): void {
    if (!counted(event)) return;
    const { by, text = "" } = event;
    decided[COUNTS[what]] += 1;
    if (event.applied) applied[COUNTS[what]] += 1;
    first ??= { call: at.call, what, by, applied: event.applied, text, ...spent(at) };
  }

  /** The agent did not read the vetoes of its finish. */
  function takeBack(): void {
    applied.vetoes -= lastFinish.vetoes;
    if (!counted({ applied: false })) {
      decided.vetoes -= lastFinish.vetoes;
      ({ first } = lastFinish);
    } else if (first?.what === "veto" && lastFinish.first === undefined) first = { ...first, applied: false };
    lastFinish = { vetoes: 0, first };
  }

  function add(event: RunEvent, at: At): void {
    switch (event.type) {
      case "finish.requested":
        lastFinish = { vetoes: 0, first };
        return;
      case "event.recorded":
        if (event.name === WITHHELD && toObject(event.data)["block"] === "veto") takeBack();
        return;
      case "nudge.sent":
        return event.guidance === true ? undefined : note("nudge", event, at);
      case "tool.refused":
        return note("refusal", event, at);
      case "finish.vetoed":
        if (event.held !== undefined) return;
        if (event.applied) lastFinish.vetoes += 1;
        return note("veto", event, at);
      case "stop.requested":
        if (counted(event)) stop ??= { call: at.call, reason: event.reason, by: event.by, ...spent(at) };
        return note("stop", event, at);
      default:
        return;
    }
  }

  return {
    add,
    get: () => ({
      ...decided,
      applied: { ...applied },
      ...defined({ first, stop }),
    }),
  };
}
