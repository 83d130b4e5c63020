import { query } from "@anthropic-ai/claude-agent-sdk";
import { Anthropic } from "@anthropic-ai/sdk";
import { executeTools, type ToolHandlers, withPhases as wrapClient } from "@phasekit/anthropic";
import { withPhases as wrapQuery } from "@phasekit/claude-agent";
import { createRun, type RunPort } from "@phasekit/core";
import { scriptedClaude } from "@phasekit/tooling/scripted-claude";
import { input, type LoopOptions, output, policy, wantsTool } from "./overhead-setup.ts";

let turn = 0;
let usesTools = false;
let current: RunPort = createRun();

/** A client whose requests never leave the process. */
const bareClient = new Anthropic({
  apiKey: "none",
  fetch: () => {
    const calls = wantsTool(turn, usesTools);
    turn += 1;
    const block = calls ? { type: "tool_use", id: `c${turn}`, name: "run", input } : { type: "text", text: "Done." };
    return Promise.resolve(
      Response.json({
        id: `x${turn}`,
        type: "message",
        role: "assistant",
        model: "m",
        content: [block],
        stop_reason: calls ? "tool_use" : "end_turn",
        usage: { input_tokens: 10, output_tokens: 2 },
      }),
    );
  },
});
const watchedClient = wrapClient(() => current, bareClient);
const handlers: ToolHandlers = { run: () => output };

/** A loop of the host around `messages.create`. */
export async function anthropicLoop({ tools, watch }: LoopOptions): Promise<void> {
  turn = 0;
  usesTools = tools;
  if (watch) current = createRun({ policies: [policy] });
  const client = watch ? watchedClient : bareClient;
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  for (;;) {
    const message = await client.messages.create({ model: "m", max_tokens: 100, messages });
    messages.push({ role: "assistant", content: message.content });
    if (message.stop_reason !== "tool_use") return;
    const content = watch ? await executeTools(current, message, { handlers }) : message.content.flatMap(resultOf);
    messages.push({ role: "user", content });
  }
}

function resultOf(block: Anthropic.ContentBlock): Anthropic.ToolResultBlockParam[] {
  return block.type === "tool_use"
    ? [{ type: "tool_result", tool_use_id: block.id, content: JSON.stringify(output) }]
    : [];
}

/** A query of the SDK with a Claude Code inside this process: hooks are messages on its pipes, as with the real one. */
export async function claudeAgentLoop({ tools, watch }: LoopOptions): Promise<void> {
  const usage = { input: 10, output: 2 };
  const claude = scriptedClaude({
    tools: [{ name: "run", execute: () => output }],
    script: (_request, index) =>
      wantsTool(index, tools) ? { calls: [{ tool: "run", input }], usage } : { text: "Done.", usage },
  });
  const ask = watch ? wrapQuery(createRun({ policies: [policy] }), query) : query;
  const options = {
    spawnClaudeCodeProcess: claude.spawn,
    pathToClaudeCodeExecutable: "scripted",
    settingSources: [],
    // Both get partial messages, so the comparison is of the hooks and the run.
    includePartialMessages: true,
  };
  let messages = 0;
  for await (const { type } of ask({ prompt: "go", options })) messages += type.length;
  if (messages === 0) throw new Error("The query gave no message.");
}
