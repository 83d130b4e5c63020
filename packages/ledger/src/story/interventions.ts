import type { EventOf, Reason, RunEvent } from "@phasekit/core";
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

/** Hooks record it when they let an agent finish whatever the gates say. */
const WITHHELD = "hooks.block-withheld";

/** An intervention in the work of the agent, applied or not. */
export interface Intervention {
  readonly what: FirstIntervention["what"];
  readonly counts: keyof InterventionCounts;
  readonly event: EventOf<"nudge.sent" | "tool.refused" | "finish.vetoed" | "stop.requested">;
}

/**
 * Returns the intervention that an event is. Phase guidance is none, and neither is a veto that holds nothing back
 * (`held`) in any mode.
 */
function interventionIn(event: RunEvent): Intervention | undefined {
  switch (event.type) {
    case "nudge.sent":
      return event.guidance === true ? undefined : { what: "nudge", counts: "nudges", event };
    case "tool.refused":
      return { what: "refusal", counts: "refusals", event };
    case "finish.vetoed":
      return event.held === undefined ? { what: "veto", counts: "vetoes", event } : undefined;
    case "stop.requested":
      return { what: "stop", counts: "stops", event };
    default:
      return undefined;
  }
}

/** Counts interventions, event by event. `counted` filters them. */
export function createInterventionFold({
  counted,
}: {
  readonly counted: (event: { readonly applied: boolean }) => boolean;
}): {
  /** Returns the intervention, if the event is one that counts. */
  readonly add: (
    event: RunEvent,
    at: { readonly call: number; readonly tokens: number | undefined },
  ) => Intervention | undefined;
  readonly get: () => Interventions;
} {
  const decided = { nudges: 0, refusals: 0, vetoes: 0, stops: 0 };
  const applied = { nudges: 0, refusals: 0, vetoes: 0, stops: 0 };
  let first: FirstIntervention | undefined;
  /** The veto of the last finish, and what was first before it. Several gates send an agent back once. */
  let lastFinish: { decided: 0 | 1; applied: 0 | 1; readonly first: FirstIntervention | undefined };
  lastFinish = { decided: 0, applied: 0, first: undefined };
  let stop: Interventions["stop"];

  type At = { readonly call: number; readonly tokens: number | undefined };
  const spent = ({ tokens }: At): { readonly tokens?: number } => (tokens === undefined ? {} : { tokens });
  function note({ what, counts, event }: Intervention, at: At): void {
    const { by, text = "" } = event;
    if (event.type === "stop.requested") stop ??= { call: at.call, reason: event.reason, by, ...spent(at) };
    if (what === "veto") countVeto(event);
    else {
      decided[counts] += 1;
      if (event.applied) applied[counts] += 1;
    }
    first ??= { call: at.call, what, by, applied: event.applied, text, ...spent(at) };
  }

  function countVeto(event: { readonly applied: boolean }): void {
    decided.vetoes += 1 - lastFinish.decided;
    lastFinish.decided = 1;
    if (!event.applied) return;
    applied.vetoes += 1 - lastFinish.applied;
    lastFinish.applied = 1;
  }

  /** The agent did not read the veto of its finish. */
  function takeBack(): void {
    applied.vetoes -= lastFinish.applied;
    if (!counted({ applied: false })) {
      decided.vetoes -= lastFinish.decided;
      ({ first } = lastFinish);
    } else if (first?.what === "veto" && lastFinish.first === undefined) first = { ...first, applied: false };
    lastFinish = { decided: 0, applied: 0, first };
  }

  function add(event: RunEvent, at: At): Intervention | undefined {
    if (event.type === "finish.requested") lastFinish = { decided: 0, applied: 0, first };
    if (event.type === "event.recorded" && event.name === WITHHELD && toObject(event.data)["block"] === "veto")
      takeBack();
    const found = interventionIn(event);
    if (found === undefined || !counted(found.event)) return undefined;
    note(found, at);
    return found;
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
