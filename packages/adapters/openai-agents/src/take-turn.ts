import { defineEvent } from "@phasekit/core";
import { askTurn, createNudgeAnchors, recordConversation, shieldRun, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";
import { isAnswerStart, readUserItem, recordGivenResults, toConversation, userItem } from "./items.ts";

/** The SDK's `callModelInputFilter`. */
export type InputFilter = (call: {
  readonly modelData: { readonly input: readonly unknown[] };
  readonly agent: object;
}) => unknown;

const agentChanged = defineEvent<{ readonly from: string; readonly to: string }>("agent.changed");

/**
 * Returns the filter that starts each turn: it asks the run, and puts what the run says to the agent at the end of the
 * input, where it stays. The caller's own filter runs first.
 */
export function turnFilter(
  invocation: Invocation,
  { theirs, partial }: { readonly theirs: InputFilter | undefined; readonly partial: boolean },
): InputFilter {
  const { run } = invocation;
  return async (call) => {
    const { attempt, beforeTurn, isOver } = shieldRun(run);
    const data = theirs === undefined ? call.modelData : await theirs(call);
    const { input } = toObject(data);
    const items: readonly unknown[] = Array.isArray(input) ? input : [];
    recordGivenResults(run, items);
    attempt("conversation", () => recordConversation(run, toConversation(items), { partial }), undefined);
    const over = isOver(invocation.closed);
    // Only a text may be empty.
    if (over && run.view.status !== "ended" && toObject(call.agent)["outputType"] === "text") {
      // Ends the loop without another request: the model answers with an empty text.
      invocation.halted = true;
      invocation.turn = beforeTurn();
      return data;
    }
    const agent = noteAgent(invocation, call.agent);
    const turn = await askTurn(run, { agent, reviewer: invocation.options.reviewer, over });
    invocation.turn = turn;
    invocation.turns += 1;
    invocation.closed ||= turn.wrapUp;
    const placed = attempt(
      "input",
      () =>
        createNudgeAnchors(run).place(items, {
          text: turn.message,
          make: userItem,
          read: readUserItem,
          isAnswer: isAnswerStart,
        }),
      items,
    );
    return placed.length === items.length ? data : { ...toObject(data), input: placed };
  };
}

/** Records a change of agents. Returns the agent's name for the turn, unless the call began with this agent. */
function noteAgent(invocation: Invocation, agent: object): string | undefined {
  const { attempt, record } = shieldRun(invocation.run);
  if (agent !== invocation.agent) {
    const [from, to] = [nameOf(invocation.agent), nameOf(agent)];
    attempt("agent", () => record(agentChanged.record({ from, to })), false);
    invocation.agent = agent;
  }
  return agent === invocation.startAgent ? undefined : nameOf(agent);
}

function nameOf(agent: object): string {
  return String(toObject(agent)["name"]);
}
