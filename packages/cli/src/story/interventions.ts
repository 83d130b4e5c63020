import type { EventOf, Reason, RunEvent } from "@phasekit/core";

/** The first thing the policies had to say, or would have said. */
interface FirstWord {
  readonly call: number;
  readonly what: "nudge" | "refusal" | "veto" | "stop";
  readonly by: string;
  /** What the agent is told: our own words, with foreign text quoted in them. */
  readonly text: string;
  /** Tokens the run had spent by then; absent when nobody knows. */
  readonly tokens?: number;
}

/** What the policies said and did, or would have in a stricter mode. */
export interface Interventions {
  readonly nudges: number;
  readonly refusals: number;
  readonly vetoes: number;
  readonly first?: FirstWord;
  readonly stop?: { readonly call: number; readonly reason: Reason; readonly by: string; readonly tokens?: number };
}

/** Counts what was said, event by event. `counted` says which of it counts; guidance on entering a phase never does. */
export function createInterventionFold({ counted }: { readonly counted: (event: { readonly applied: boolean }) => boolean }): {
  readonly add: (event: RunEvent, at: { readonly call: number; readonly tokens: number | undefined }) => void;
  readonly get: () => Interventions;
} {
  let nudges = 0;
  let refusals = 0;
  let vetoes = 0;
  let first: FirstWord | undefined;
  let stop: Interventions["stop"];

  type At = { readonly call: number; readonly tokens: number | undefined };
  const spent = ({ tokens }: At): { readonly tokens?: number } => (tokens === undefined ? {} : { tokens });
  function speak(what: FirstWord["what"], { by, text = "" }: { readonly by: string; readonly text?: string }, at: At): void {
    first ??= { call: at.call, what, by, text, ...spent(at) };
  }

  function add(event: RunEvent, at: At): void {
    switch (event.type) {
      case "nudge.sent":
        if (event.guidance === true || !counted(event)) return;
        nudges += 1;
        return speak("nudge", event, at);
      case "tool.refused":
        if (!counted(event)) return;
        refusals += 1;
        return speak("refusal", event, at);
      case "finish.vetoed":
        if (!counted(event) || event.held !== undefined) return;
        vetoes += 1;
        return speak("veto", event, at);
      case "stop.requested":
        return takeStop(event, at);
      default:
        return;
    }
  }

  function takeStop(event: EventOf<"stop.requested">, at: At): void {
    if (!counted(event)) return;
    stop ??= { call: at.call, reason: event.reason, by: event.by, ...spent(at) };
    speak("stop", event, at);
  }

  return { add, get: () => ({ nudges, refusals, vetoes, ...(first !== undefined && { first }), ...(stop !== undefined && { stop }) }) };
}
