import { definePolicy, defineState, type PhaseSpec, type Policy, refuse } from "@phasekit/core";
import { isOffered, quote } from "@phasekit/core/adapter";
import { isSettled, type TodoItem } from "../phases/judge-completion.ts";

/** Key of the todo list an agent keeps. */
export const agentTodos = /* @__PURE__ */ defineState<{ todos: readonly TodoItem[] }>("orchestrator/agent-todos");

/** Keeps the agent's todo list, so that its completion can be compared with it. */
export function todosOfAgent(): Policy<{ todos: readonly TodoItem[] }> {
  return definePolicy({
    name: "agent-todos",
    key: agentTodos,
    initial: (): { todos: readonly TodoItem[] } => ({ todos: [] }),
    observe: {
      "todos.updated": (state, { todos }) => {
        state.todos = todos.slice(0, 200);
      },
    },
  });
}

/** Counts the settled items of an agent's list. */
export function settledCount(todos: readonly TodoItem[]): number {
  return todos.filter(isSettled).length;
}

/** Applies the rules of the conversation's phase to an agent's run, whatever its graph. Enforced in mode `gate`. */
export function conversationRules(phase: string, spec: PhaseSpec): Policy {
  return definePolicy({
    name: "conversation-phase",
    decide: {
      "tool.requested": (_run, _state, { tool, meaning }) => {
        if (!isOffered(spec.tools, tool))
          return refuse(
            `The tool ${quote(tool)} is not allowed while the conversation is in the phase ${quote(phase)}.`,
          );
        const done = [meaning.activity, ...(meaning.parts ?? [])].find(
          (activity) => activity !== undefined && spec.activities?.deny?.includes(activity) === true,
        );
        return done === undefined
          ? undefined
          : refuse(
              `The activity ${quote(done)} is not allowed while the conversation is in the phase ${quote(phase)}.`,
            );
      },
    },
  });
}
