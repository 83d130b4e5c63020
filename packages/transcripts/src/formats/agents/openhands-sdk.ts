import { defined, isObject, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, readArguments, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import { todosOf } from "../../write/todos.ts";

const KIND_PARTS = [
  "Action",
  "Observation",
  "Message",
  "SystemPrompt",
  "AgentError",
  "ConversationError",
  "ConversationStateUpdate",
  "Condensation",
  "CondensationRequest",
  "CondensationSummary",
  "Pause",
  "UserRejectObservation",
  "TokenUsage",
];
const KIND = new RegExp(`^(?:${KIND_PARTS.join("|")})(?:Event)?$`);

/** True for an event of the OpenHands software agent SDK. */
export function isSdkEvent({ kind, id, source }: LooseObject): boolean {
  return typeof kind === "string" && KIND.test(kind) && (typeof id === "string" || typeof source === "string");
}

/** Writes one event of the SDK: an action of the agent, what came of it, or a message. */
export function sdkEvent(
  run: RunWriter,
  event: LooseObject,
  { skip, unknown }: { readonly skip: (kind: string) => void; readonly unknown: (kind: string) => void },
): void {
  const kind = textIn(event["kind"]).replace(/Event$/, "");
  const at = timeIn(event["timestamp"]);
  const call = nameIn(event["tool_call_id"]);
  switch (kind) {
    case "Message": {
      const { content, role, reasoning_content: thoughts } = toObject(event["llm_message"] ?? event["message"]);
      if (event["source"] === "user" || role === "user") return run.user(contentText(content), defined({ at }));
      run.answer(defined({ id: nameIn(event["llm_response_id"]) ?? nameIn(event["id"]), at }));
      run.reasoning(textIn(thoughts));
      return run.text(contentText(content));
    }
    case "Action": {
      const tool = textIn(event["tool_name"]);
      const asked = toObject(event["tool_call"]);
      const given = asked["arguments"] ?? toObject(asked["function"])["arguments"];
      const action = toObject(event["action"]);
      const input = given === undefined ? action : readArguments(given);
      run.answer(defined({ id: nameIn(event["llm_response_id"]) ?? nameIn(event["id"]), at }));
      run.reasoning(textIn(event["reasoning_content"]));
      run.text(contentText(event["thought"]));
      if (tool === "finish")
        return run.finish(textIn(action["message"]) || textIn(toObject(input)["message"]), defined({ at }));
      run.call({ tool, input, ...defined({ call, at }) });
      const todos = todosOf(tool, input);
      if (todos !== undefined) run.record({ ...todos, ...defined({ at }) });
      return;
    }
    case "Observation": {
      const observation = event["observation"];
      const { exit_code: code, metadata, error, is_error: isError, content, output } = toObject(observation);
      if (nameIn(event["tool_name"]) === "finish") return skip("observation of finish");
      const exitCode = numberIn(code) ?? numberIn(toObject(metadata)["exit_code"]);
      const text = contentText(content) || textIn(output);
      return run.result({
        output: text === "" && isObject(observation) ? observation : text,
        ...((error === true || isError === true || typeof error === "string") && { outcome: "error" as const }),
        ...defined({ call, at, exitCode, tool: nameIn(event["tool_name"]) }),
      });
    }
    case "AgentError":
      return run.result({
        output: textIn(event["error"]),
        outcome: "error",
        ...defined({ call, at, tool: nameIn(event["tool_name"]) }),
      });
    case "UserRejectObservation":
      return run.result({
        output: textIn(event["rejection_reason"]),
        outcome: "denied",
        ...defined({ call, at, tool: nameIn(event["tool_name"]) }),
      });
    case "ConversationError":
      return run.record({
        type: "model.failed",
        ...defined({ at, code: nameIn(event["code"]), message: nameIn(event["detail"]) }),
      });
    case "Condensation":
      return run.record({ type: "context.compacted", ...defined({ at }) });
    case "SystemPrompt":
    case "ConversationStateUpdate":
    case "CondensationRequest":
    case "CondensationSummary":
    case "Pause":
    case "TokenUsage":
      return skip(kind);
    default:
      unknown(`event ${kind}`);
  }
}
