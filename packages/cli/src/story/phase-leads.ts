import type { EventOf, RunEvent } from "@phasekit/core";

/** Corrections to the figures of a phase; negative for calls and turns that led out of it. */
interface PhaseLead {
  readonly calls: number;
  readonly turns: number;
  readonly tokens: number;
}

const NOTHING: PhaseLead = { calls: 0, turns: 0, tokens: 0 };
const MAX_PENDING = 1000;

/**
 * Finds the calls and turns that led to another phase. Records count them in the phase they began in, but the edit that
 * begins acting is already acting: `get(phase)` returns what to add so that it counts there.
 */
export function createPhaseLeads(): {
  readonly add: (event: RunEvent) => void;
  readonly get: (phase: string) => PhaseLead;
} {
  const leads = new Map<string, PhaseLead>();
  /** The phase each open call began in; `undefined` for the first one. */
  const pending = new Map<string, string | undefined>();
  let first: string | undefined;
  let phase: string | undefined;
  let turn = { number: 0, seq: 0, tokens: 0 };
  let before = turn;
  let finished: { readonly seq: number; readonly began: string | undefined } | undefined;

  function addTo(name: string, sign: 1 | -1, { calls, turns, tokens }: PhaseLead): void {
    const lead = leads.get(name) ?? NOTHING;
    leads.set(name, {
      calls: lead.calls + sign * calls,
      turns: lead.turns + sign * turns,
      tokens: lead.tokens + sign * tokens,
    });
  }

  function move({ from, to, actor, cause }: EventOf<"phase.transition">): void {
    first ??= from;
    phase = to;
    // A move that someone asked for begins with the next event.
    if (actor !== "policy") return;
    if (finished?.seq === cause) {
      addTo(finished.began ?? first, -1, { ...NOTHING, calls: 1 });
      addTo(to, 1, { ...NOTHING, calls: 1 });
    }
    // A move at the start of a turn is due to the turn before.
    const { number, tokens } = cause === turn.seq ? before : turn;
    const led = { calls: 0, turns: Number(number > 0), tokens };
    addTo(from, -1, led);
    addTo(to, 1, led);
  }

  function add(event: RunEvent): void {
    if (event.turn !== undefined && event.turn > turn.number) {
      before = turn;
      turn = { number: event.turn, seq: event.seq, tokens: 0 };
    }
    switch (event.type) {
      case "model.answered":
        // Without turns it is unknown which answer led to a move.
        if (turn.number > 0) turn.tokens += (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
        return;
      case "tool.requested":
        if (event.call !== undefined && pending.size < MAX_PENDING) pending.set(event.call, phase);
        return;
      case "tool.finished": {
        const { seq, call = "" } = event;
        finished = { seq, began: pending.has(call) ? pending.get(call) : phase };
        pending.delete(call);
        return;
      }
      case "phase.transition":
        return move(event);
      default:
        return;
    }
  }

  return { add, get: (name) => leads.get(name) ?? NOTHING };
}
