// An agent behind a fetch handler: the same file runs in Cloudflare Workers, Bun, Deno, edge functions and Node.
import { budget, createRun, trackRun } from "@phasekit/core";
import { executeTools, withPhases } from "@phasekit/openai";
import { OpenAI } from "openai";
import { scriptedModel } from "./scripted-model.ts";

const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "count_lines", parameters: {} } }];

export default {
  fetch: async (request: Request): Promise<Response> => {
    const { prompt } = (await request.json()) as { prompt: string };
    const run = createRun({ mode: "gate", policies: [budget({ turns: 10 })] });
    // Without `fetch`, the client calls the API. The key is in the environment of the worker.
    const client = withPhases(run, new OpenAI({ apiKey: "offline", maxRetries: 0, fetch: scriptedModel() }));
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: prompt }];
    try {
      const text = await trackRun(run, async () => {
        for (;;) {
          const completion = await client.chat.completions.create(
            { model: "gpt-5-mini", messages, tools },
            { signal: request.signal },
          );
          const message = completion.choices[0]?.message;
          if (!message?.tool_calls) return message?.content;
          messages.push(message, ...(await executeTools(run, completion, { handlers: { count_lines: () => 12 } })));
        }
      });
      return Response.json({ text, reason: run.outcome?.reason, turns: run.view.turn, calls: run.view.toolCalls });
    } catch {
      return Response.json({ reason: run.outcome?.reason, turns: run.view.turn }, { status: 502 });
    }
  },
};
