import { chatAnswer, chatChunks, checkChat } from "./openai-server/chat.ts";
import type { Json, RecordedRequest } from "./openai-server/protocol.ts";
import { checkResponses, responsesAnswer, responsesEvents } from "./openai-server/responses.ts";
import { type ScriptedServer, type ScriptFor, serveScript } from "./openai-server/serve-script.ts";

export type { RecordedRequest, ScriptedAnswer, ScriptedCall, ScriptedUsage } from "./openai-server/protocol.ts";
export { seenRequest, type SeenMessage, type SeenRequest } from "./openai-server/seen-request.ts";

/** A server on this machine that speaks the OpenAI API and follows a script. */
export type OpenAiServer = ScriptedServer<RecordedRequest>;

/** The answers one after the other, or a function that makes them from what came in. */
export type Script = ScriptFor<RecordedRequest>;

/**
 * Starts a scripted server for `/chat/completions` and `/responses`, with JSON and server-sent events. It checks what
 * real APIs check: every tool call is answered exactly once and before anything else is said, no answer is made up.
 */
export async function startOpenAiServer(script: Script): Promise<OpenAiServer> {
  const items = new Map<string, readonly Json[]>();
  return await serveScript(script, {
    path: "/v1",
    lastText: "data: [DONE]\n\n",
    record: (text, { url, headers }) => {
      const api = url?.endsWith("/responses") === true ? "responses" : "chat";
      const body = JSON.parse(text) as Json;
      const history =
        api === "responses" ? [...(items.get(String(body["previous_response_id"])) ?? []), ...inputItems(body)] : [];
      return { api, body, headers, history };
    },
    check: ({ api, body, history }) => (api === "chat" ? checkChat(body) : checkResponses(history)),
    answer: (answer, { api, body, history }, index) => {
      const given = { id: `${api}-${index}`, body };
      const streams = body["stream"] === true;
      if (api === "chat") return streams ? chatChunks(answer, given) : chatAnswer(answer, given);
      const whole = responsesAnswer(answer, given);
      items.set(given.id, [...history, ...(whole["output"] as readonly Json[])]);
      return streams ? responsesEvents(answer, given) : whole;
    },
    errorBody: (code, message) => ({ error: { message, type: code, code, param: null } }),
  });
}

/** The input of a Responses request as items. */
function inputItems({ input }: Json): readonly Json[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return Array.isArray(input) ? (input as readonly Json[]) : [];
}
