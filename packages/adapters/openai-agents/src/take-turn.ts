import { defineEvent } from "@phasekit/core";
import {
  answerReview,
  CLOSING_TEXT,
  createNudgeAnchors,
  recordConversation,
  runEnded,
  runStopped,
  shieldRun,
  toObject,
  wrapEnvelope,
} from "@phasekit/core/adapter";
import { type Invocation, isClosing, mustStop } from "./invocation.ts";
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
    const { attempt, beforeTurn } = shieldRun(run);
    if (attempt("status", () => run.view.status === "ended", false)) throw runEnded(run.id);
    const data = theirs === undefined ? call.modelData : await theirs(call);
    const { input } = toObject(data);
    const items: readonly unknown[] = Array.isArray(input) ? input : [];
    recordGivenResults(run, items);
    attempt("conversation", () => recordConversation(run, toConversation(items), { partial }), undefined);
    if (mustStop(invocation)) {
      halt(invocation, call.agent);
      return data;
    }
    const agent = noteAgent(invocation, call.agent);
    const turn = await answerReview(run, beforeTurn(agent === undefined ? {} : { agent }), invocation.options.reviewer);
    if (turn.stop?.how === "abort") throw runStopped(turn.stop.reason);
    invocation.turn = turn;
    invocation.turns += 1;
    invocation.closed ||= isClosing(turn);
    const closing = turn.stop === undefined ? undefined : wrapEnvelope(turn.stop.text ?? CLOSING_TEXT);
    const placed = attempt(
      "input",
      () =>
        createNudgeAnchors(run).place(items, {
          text: turn.message ?? closing,
          make: userItem,
          read: readUserItem,
          isAnswer: isAnswerStart,
        }),
      items,
    );
    return placed.length === items.length ? data : { ...toObject(data), input: placed };
  };
}

/** Ends the loop without another request: the model answers with an empty text. */
function halt(invocation: Invocation, agent: object): void {
  const { id, view } = invocation.run;
  // Only a text may be empty.
  if (toObject(agent)["outputType"] !== "text")
    throw view.stopped === undefined ? runEnded(id) : runStopped(view.stopped.reason);
  invocation.halted = true;
  invocation.turn = shieldRun(invocation.run).beforeTurn();
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
