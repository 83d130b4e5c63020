import { definePolicy, type Policy, veto } from "@phasekit/core";
import { setBounded } from "@phasekit/core/adapter";
import { agentFinished, cycleNoted, roundOpened } from "../conversation/conversation-events.ts";
import {
  CONVERSATION_LIMITS,
  cycleState,
  type CycleState,
  conversationState,
  emptyCycle,
} from "../conversation/conversation-state.ts";

/** Failed reflections after which an agent is excused, so that one broken agent does not block the others. */
const EXCUSED_AFTER = 2;

/**
 * Tracks who took part in a cycle and who has reflected on it. Vetoes an end in the reflection phase while a
 * participant has not reflected.
 */
export function cyclePolicy({ reflection }: { readonly reflection: string | undefined }): Policy<CycleState> {
  return definePolicy<CycleState>({
    name: "reflection",
    version: "1",
    key: cycleState,
    resetOn: "fresh-phase",
    initial: emptyCycle,
    observe: {
      "event.recorded": (state, event, run) => {
        if (roundOpened.is(event)) state.rounds += 1;
        else if (cycleNoted.is(event))
          setBounded(state.notes, [event.data.key, event.data.value], CONVERSATION_LIMITS.notes);
        else if (agentFinished.is(event)) {
          const { agent, round: id, outcome } = event.data;
          const round = run.read(conversationState)?.rounds.findLast((candidate) => candidate.round === id);
          // The conversation's fold ran first. A completion it ignored does not count here either.
          if (round?.completions.some(({ seq }) => seq === event.seq) !== true) return;
          if (round.phase === reflection) reflect(state, agent, outcome === "done");
          else if (
            outcome === "done" &&
            !state.participants.includes(agent) &&
            state.participants.length < CONVERSATION_LIMITS.seen
          )
            state.participants.push(agent);
        }
      },
    },
    decide: {
      "finish.requested": (run, state) => {
        const missing = run.phase === reflection ? missingReflections(state) : [];
        return missing.length === 0
          ? undefined
          : veto(`These agents took part and have not reflected: ${missing.join(", ")}.`, {
              gate: "reflection",
              evidence: { missing },
            });
      },
    },
  });
}

function reflect({ reflections }: CycleState, agent: string, done: boolean): void {
  const before = reflections.get(agent) ?? { done: false, failed: 0 };
  setBounded(
    reflections,
    [agent, { done: before.done || done, failed: before.failed + (done ? 0 : 1) }],
    CONVERSATION_LIMITS.seen,
  );
}

/** Participants of this cycle that have not reflected. */
export function missingReflections({
  participants,
  reflections,
}: Pick<CycleState, "participants" | "reflections">): readonly string[] {
  return participants.filter((agent) => !hasReflected({ reflections }, agent));
}

/** True if an agent has reflected in this cycle, or is excused. */
export function hasReflected({ reflections }: Pick<CycleState, "reflections">, agent: string): boolean {
  const { done = false, failed = 0 } = reflections.get(agent) ?? {};
  return done || failed >= EXCUSED_AFTER;
}
