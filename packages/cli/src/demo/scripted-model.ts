import {
  type OpenAiServer,
  type ScriptedAnswer,
  seenRequest,
  startOpenAiServer,
} from "@phasekit/tooling/openai-server";
import type { Agent } from "./stories.ts";

/** Starts a local server with the OpenAI API that answers from the script. */
export function startScriptedModel(agent: Agent): Promise<OpenAiServer> {
  let seen = 0;
  return startOpenAiServer((request, index): ScriptedAnswer => {
    const { messages, toolChoice } = seenRequest(request);
    const text = messages
      .slice(seen)
      .filter(({ role }) => role !== "assistant")
      .map((message) => message.text)
      .join("\n");
    seen = messages.length;
    const { value } = agent.next({ text, isClosing: toolChoice === "none" });
    const answer = value ?? { text: "There is nothing left to do." };
    // Usage as a provider reports it: each request sends the whole, growing conversation. Counted by messages, because
    // tool output contains times and paths: the same script always costs the same.
    return { ...answer, usage: { input: 400 + 80 * messages.length, output: 24 + index } };
  });
}
