import { AIMessage, type BaseMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Command } from "@langchain/langgraph";
import { type RunSource, systemClock } from "@phasekit/core/adapter";
import type { AgentMiddleware } from "langchain";
import { isInvocationError, isMiddlewareError, rootCause } from "./errors.ts";
import { type Invocation, runOfInvocation, runOfTurn } from "./invocation.ts";
import { makeCall } from "./make-call.ts";
import { type PhaseOptions, type TakenTurns, takeTurns } from "./take-turns.ts";
import { recordUnmade } from "./unmade-calls.ts";
import { listenTo } from "./watch-model.ts";

/** What a model call gives a middleware: a message, or a structured response with the messages that carry it. */
type ModelResponse = AIMessage | { readonly structuredResponse: unknown; readonly messages: BaseMessage[] };

/**
 * A middleware that puts a run into the agents of `createAgent`. Pass a function when the agent is invoked more than
 * once: it is called for every invocation. It uses the two wrapping hooks only, so it takes no steps from
 * `recursionLimit`, and errors of tools stay results the model reads. Put it first.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [phaseMiddleware(() => createRun({ policies }))] });
 * @throws RUN_ENDED from an invocation whose run has ended, as the `cause` of what LangChain throws.
 */
export function phaseMiddleware(source: RunSource<Invocation>, options: PhaseOptions<BaseChatModel> = {}): AgentMiddleware {
  const { clock = systemClock } = options;
  return {
    name: "phasekit",
    wrapModelCall: async (request, handler) => {
      const run = runOfTurn(source, request.runtime);
      // Every call that reaches a tool comes by here: what was answered otherwise, the host did not allow.
      recordUnmade(run, request.messages, "denied");
      const taken = await takeTurns<ModelResponse, BaseChatModel>(run, {
        messages: request.messages,
        options,
        ask: ({ messages, model = request.model, toolChoice, offers }, listener) =>
          handler({
            ...request,
            messages,
            model: listenTo(model, listener),
            ...(toolChoice !== undefined && request.tools.length > 0 && { toolChoice }),
            ...(options.hideTools === true && { tools: request.tools.filter(({ name }) => typeof name !== "string" || offers(name)) }),
          }),
        read: messagesIn,
      });
      // The type of the hook leaves structured responses out; LangChain gives and takes them here all the same.
      return takenToResponse(taken) as AIMessage | Command;
    },
    wrapToolCall: async (request, handler) => {
      const { toolCall, tool, runtime } = request;
      const made = await makeCall(runOfInvocation(source, runtime), {
        toolCall,
        tool,
        clock,
        execute: (watched) => handler(watched === undefined ? request : { ...request, tool: watched }),
      });
      if ("refused" in made) return errorMessage(toolCall, made.refused);
      // The handler gives what its type says; only the way through `makeCall` forgets it.
      if ("output" in made) return made.output as ToolMessage | Command;
      if (runtime.signal?.aborted === true) throw made.error;
      return answerError(toolCall, made);
    },
  };
}

/** What the agent does without any middleware: the model reads the error. What another middleware throws stays thrown. */
function answerError(toolCall: ToolCall, { error, isOfTool }: { readonly error: unknown; readonly isOfTool: boolean }): ToolMessage {
  const cause = rootCause(error);
  if (!isOfTool && isInvocationError(cause)) return errorMessage(toolCall, cause.message);
  if (!isOfTool && isMiddlewareError(error)) throw error;
  return errorMessage(toolCall, `${String(error)}\n Please fix your mistakes.`);
}

function errorMessage({ id, name }: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, name, tool_call_id: id ?? "", status: "error" });
}

function messagesIn(response: ModelResponse): readonly BaseMessage[] {
  return AIMessage.isInstance(response) ? [response] : response.messages;
}

/** One answer for the graph, with everything that was said on the way to it. */
function takenToResponse({ rejected, end }: TakenTurns<ModelResponse>): ModelResponse | Command {
  const last = "answer" in end ? end.answer : end.stopped;
  if (rejected.length === 0) return last;
  const before = rejected.flatMap(({ answer, objection }) => [...messagesIn(answer), objection]);
  if (!AIMessage.isInstance(last)) return { ...last, messages: [...before, ...last.messages] };
  const latest = "answer" in end ? last : messagesIn(rejected[rejected.length - 1]?.answer ?? last).find((message) => AIMessage.isInstance(message));
  return inOrder([...before, last], latest ?? last);
}

/**
 * The graph writes the latest answer of the model before anything a command brings. So that answer is written under
 * another id and taken away again, and a copy under its own id stands where it belongs.
 */
function inOrder(messages: readonly BaseMessage[], latest: AIMessage): Command {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(latest) as object) as AIMessage, latest);
  // The graph signs the answer it writes with the name of the agent, and does so later: the copy is signed along with it.
  let name: { readonly own: string | undefined } | undefined;
  Object.defineProperty(copy, "name", {
    enumerable: true,
    get: () => (name === undefined ? latest.name : name.own),
    set: (own: string | undefined) => {
      name = { own };
    },
  });
  latest.id = `phasekit-${latest.id ?? "answer"}`;
  return new Command({ update: { messages: [new RemoveMessage({ id: latest.id }), ...messages.map((message) => (message === latest ? copy : message))] } });
}
