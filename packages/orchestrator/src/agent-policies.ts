import { defineState, definePolicy, matchesGlob, type PhaseSpec, type Policy, quote, refuse } from "@phasekit/core";
import { isSettled, type TodoItem } from "./completion-gate.ts";

/** The list an agent keeps of its own work. */
export const agentTodos = /* @__PURE__ */ defineState<{ todos: readonly TodoItem[] }>("orchestrator/agent-todos");

/** Remembers the agent's own list, so that its completion can be compared with it. */
export function todosOfAgent(): Policy<{ todos: readonly TodoItem[] }> {
  return definePolicy({
    name: "agent-todos",
    key: agentTodos,
    initial: (): { todos: readonly TodoItem[] } => ({ todos: [] }),
    observe: { "todos.updated": (state, { todos }) => { state.todos = todos.slice(0, 200); } },
  });
}

/** How many items of an agent's list are settled. */
export function settledCount(todos: readonly TodoItem[]): number {
  return todos.filter(isSettled).length;
}

/** Whether a phase allows a tool. */
export function allowsTool({ tools = {} }: PhaseSpec, tool: string): boolean {
  const matches = (pattern: string): boolean => matchesGlob(tool, pattern);
  return tools.deny?.some(matches) !== true && tools.allow?.some(matches) !== false;
}

/** Holds an agent to the rules of the conversation's phase, whatever graph its own run has. Carried out in mode `gate`. */
export function conversationRules(phase: string, spec: PhaseSpec): Policy {
  return definePolicy({
    name: "conversation-phase",
    decide: {
      "tool.requested": (_run, _state, { tool, meaning }) => {
        if (!allowsTool(spec, tool)) return refuse(`The tool ${quote(tool)} is not used while the conversation is in the phase ${quote(phase)}.`);
        const done = [meaning.activity, ...(meaning.parts ?? [])].find((activity) => activity !== undefined && spec.activities?.deny?.includes(activity) === true);
        return done === undefined ? undefined : refuse(`The activity ${quote(done)} has no place while the conversation is in the phase ${quote(phase)}.`);
      },
    },
  });
}
