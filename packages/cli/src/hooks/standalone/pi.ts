import { listIn, textIn, toObject } from "@phasekit/core/adapter";
import { createAsk } from "../client/ask-in-process.ts";

interface PiContext {
  readonly cwd?: string;
  readonly sessionManager?: {
    readonly getSessionId?: () => string;
    readonly getSessionFile?: () => string | undefined;
  };
}
type PiHandler = (event: Readonly<Record<string, unknown>>, context?: PiContext) => Promise<object | undefined>;
interface PiApi {
  readonly on: (event: string, handler: PiHandler) => void;
  readonly sendUserMessage: (text: string, options: { readonly deliverAs: "followUp" }) => void;
}

const MAX_ANSWERS = 64;

/** Pi's extension. */
function extendPi(pi: PiApi): void {
  const ask = createAsk("pi");
  const fallback = `process-${String(process.pid)}-${Date.now().toString(36)}`;
  /** The model's messages since the last event, for what they cost. */
  const answers: object[] = [];
  const base = (context: PiContext | undefined): object => ({
    session: context?.sessionManager?.getSessionId?.() ?? fallback,
    transcript: context?.sessionManager?.getSessionFile?.(),
    cwd: context?.cwd ?? process.cwd(),
    ...(answers.length > 0 && { answers: answers.splice(0) }),
  });
  /** A handler that fails must not stop Pi. */
  const on = (event: string, handler: PiHandler): void => {
    pi.on(event, (given, context) => handler(given, context).catch(() => undefined));
  };

  on("session_start", async (_event, context) => {
    await ask({ event: "start", ...base(context) });
    return undefined;
  });
  on("before_agent_start", async ({ prompt }, context) => {
    const { nudge } = await ask({ event: "prompt", ...base(context), text: textIn(prompt) });
    return nudge === undefined ? undefined : { message: { customType: "phasekit", content: nudge, display: false } };
  });
  on("message_end", ({ message }) => {
    const { role, model, usage } = toObject(message);
    if (role === "assistant" && usage !== undefined && answers.length < MAX_ANSWERS) answers.push({ model, usage });
    return Promise.resolve(undefined);
  });
  on("tool_call", async ({ toolCallId, toolName, input }, context) => {
    const { refuse } = await ask({ event: "tool.before", ...base(context), call: toolCallId, tool: toolName, input });
    return refuse === undefined ? undefined : { block: true, reason: refuse };
  });
  on("tool_result", async ({ toolCallId, toolName, input, content, isError }, context) => {
    const output = textOf(content);
    const { nudge } = await ask({
      event: "tool.after",
      ...base(context),
      call: toolCallId,
      tool: toolName,
      input,
      output,
      isError,
    });
    return nudge === undefined ? undefined : { content: [...listIn(content), { type: "text", text: nudge }] };
  });
  on("turn_end", async ({ message, toolResults }, context) => {
    if (listIn(toolResults).length > 0) return undefined;
    const { stopReason, content } = toObject(message);
    const aborted = stopReason === "aborted" || stopReason === "error";
    const { veto } = await ask({ event: "finish", ...base(context), text: textOf(content), aborted });
    if (veto !== undefined) pi.sendUserMessage(veto, { deliverAs: "followUp" });
    return undefined;
  });
  on("session_compact", async ({ reason }, context) => {
    await ask({ event: "compacted", ...base(context), reason });
    return undefined;
  });
  on("session_shutdown", async (_event, context) => {
    await ask({ event: "end", ...base(context) });
    return undefined;
  });
}

function textOf(content: unknown): string {
  return listIn(content)
    .map((part) => textIn(toObject(part)["text"]))
    .join("\n");
}

// This file becomes Pi's extension `phasekit.ts`.
// eslint-disable-next-line no-restricted-syntax -- Pi calls the default export
export default extendPi;
