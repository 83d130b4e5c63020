import { AIMessage, type BaseMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { Command } from "@langchain/langgraph";
import { type RunSource, systemClock } from "@phasekit/core/adapter";
import type { AgentMiddleware } from "langchain";
import { isInvocationError, isMiddlewareError, rootCause } from "./errors.ts";
import { type Invocation, runOfInvocation } from "./invocation.ts";
import { makeCall } from "./make-call.ts";
import { type PhaseOptions, type TurnsResult, takeTurns } from "./take-turns.ts";
import { recordUnmade } from "./unmade-calls.ts";
import { listenTo } from "./watch-model.ts";

/** The result of a model call: a message, or a structured response with its messages. */
type ModelResponse = AIMessage | { readonly structuredResponse: unknown; readonly messages: BaseMessage[] };

/**
 * Returns the middleware that `withPhases` adds to the options of `createAgent`. Use it directly to choose its place;
 * first is best. Pass a function if the agent is invoked more than once: every invocation gets its own run. The
 * middleware uses only the two wrapping hooks, so it takes no steps from `recursionLimit`, and the model still gets
 * tool errors as results.
 *
 * @example
 * const agent = createAgent({ model, tools, middleware: [phaseMiddleware(() => createRun({ policies }))] });
 * @throws RUN_ENDED from an invocation if its run has ended, as the `cause` of the error LangChain throws.
 */
export function phaseMiddleware(
  source: RunSource<Invocation>,
  options: PhaseOptions<BaseChatModel> = {},
): AgentMiddleware {
  const { clock = systemClock } = options;
  return {
    name: "phasekit",
    wrapModelCall: async (request, handler) => {
      const run = runOfInvocation(source, request.runtime);
      // Every executed call passes `wrapToolCall`. The host denied all other answered calls.
      recordUnmade(run, request.messages, "denied");
      const turns = await takeTurns<ModelResponse, BaseChatModel>(run, {
        messages: request.messages,
        options,
        ask: ({ messages, model = request.model, toolChoice, offers }, listener) =>
          handler({
            ...request,
            messages,
            model: listenTo(model, listener),
            ...(toolChoice !== undefined && request.tools.length > 0 && { toolChoice }),
            ...(options.hideTools === true && {
              tools: request.tools.filter(({ name }) => typeof name !== "string" || offers(name)),
            }),
          }),
        read: messagesIn,
      });
      // The type of the hook omits structured responses, but LangChain passes and accepts them.
      return turnsToResponse(turns) as AIMessage | Command;
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
      // The handler returns this type; `makeCall` widens it to unknown.
      if ("output" in made) return made.output as ToolMessage | Command;
      if (runtime.signal?.aborted === true) throw made.error;
      return answerError(toolCall, made);
    },
  };
}

/** Answers like an agent without middleware: the model gets the error. Rethrows errors of other middlewares. */
function answerError(
  toolCall: ToolCall,
  { error, isOfTool }: { readonly error: unknown; readonly isOfTool: boolean },
): ToolMessage {
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

/** Returns one answer for the graph, with all vetoed answers before it. */
function turnsToResponse({ rejected, end }: TurnsResult<ModelResponse>): ModelResponse | Command {
  const last = "answer" in end ? end.answer : end.stopped;
  if (rejected.length === 0) return last;
  const before = rejected.flatMap(({ answer, objection }) => [...messagesIn(answer), objection]);
  if (!AIMessage.isInstance(last)) return { ...last, messages: [...before, ...last.messages] };
  const latest =
    "answer" in end
      ? last
      : messagesIn(rejected[rejected.length - 1]?.answer ?? last).find((message) => AIMessage.isInstance(message));
  return inOrder([...before, last], latest ?? last);
}

/**
 * The graph writes the latest answer of the model before the messages of a command. So that answer gets another id and
 * is removed again, and a copy with the original id goes to the right place.
 */
function inOrder(messages: readonly BaseMessage[], latest: AIMessage): Command {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(latest) as object) as AIMessage, latest);
  // The graph later sets the name of the agent on the answer it writes. The copy follows that name.
  let name: { readonly own: string | undefined } | undefined;
  Object.defineProperty(copy, "name", {
    enumerable: true,
    get: () => (name === undefined ? latest.name : name.own),
    set: (own: string | undefined) => {
      name = { own };
    },
  });
  latest.id = `phasekit-${latest.id ?? "answer"}`;
  return new Command({
    update: {
      messages: [
        new RemoveMessage({ id: latest.id }),
        ...messages.map((message) => (message === latest ? copy : message)),
      ],
    },
  });
}
