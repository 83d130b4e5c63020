// The route handler that `useChat()` of the AI SDK calls. The run of each request ends with its stream.
import { createAgentUIStreamResponse } from "ai";
import { agent } from "../../../agent.ts";

export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: unknown[] };
  return createAgentUIStreamResponse({ agent, uiMessages: messages, abortSignal: request.signal });
}
