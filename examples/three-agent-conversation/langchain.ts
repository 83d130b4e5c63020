// The conversation of main.ts with three LangChain agents: each has its own run through the adapter, and the cost of
// its model calls counts against the conversation. Only the models are scripted.
import assert from "node:assert/strict";
import { holdConversation } from "./hold-conversation.ts";
import { createLangChainTeam } from "./langchain-team.ts";
import { createProject } from "./project.ts";
import { createTeam } from "./team.ts";

const project = createProject();
const { conversation, lines, agentRuns } = await holdConversation(createLangChainTeam(project), project);
const plain = createProject();
const { lines: same } = await holdConversation(createTeam(plain), plain);

// It is the same conversation: in a round with several agents they may finish in another order.
assert.deepEqual([...lines].sort(), [...same].sort());
// The adapter saw the models and the tools of every agent, and the conversation knows what they cost.
assert.ok(agentRuns.every(({ view }) => view.usage.modelCalls > 0 && view.status === "ended"));
const tokens = agentRuns.reduce((sum, { view }) => sum + view.usage.inputTokens + view.usage.outputTokens, 0);
const { inputTokens, outputTokens } = conversation.run.view.usage;
assert.equal(inputTokens + outputTokens, tokens);
const toolCalls = agentRuns.reduce((sum, { view }) => sum + view.toolCalls, 0);
console.log(
  `On LangChain: ${agentRuns.length} agent runs, ${toolCalls} tool calls, ${tokens} tokens. The same conversation.`,
);
