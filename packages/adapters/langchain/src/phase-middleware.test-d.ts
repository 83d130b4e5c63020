import { ChatOpenAI } from "@langchain/openai";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createRun } from "@phasekit/core";
import { createAgent, modelCallLimitMiddleware } from "langchain";
import { z } from "zod";
import { phaseCallbacks } from "./phase-callbacks.ts";
import { phaseMiddleware } from "./phase-middleware.ts";
import { phaseNode } from "./phase-node.ts";
import { phaseTools } from "./phase-tools.ts";

const model = new ChatOpenAI({ model: "m" });
const look = tool(({ path }) => path.length, { name: "look", description: "Looks.", schema: z.object({ path: z.string() }) });

// The middleware leaves the types of the agent as they are: its state, its response, those of other middlewares.
const agent = createAgent({
  model,
  tools: [look],
  responseFormat: z.object({ verdict: z.string() }),
  middleware: [phaseMiddleware(({ configurable, parent }) => parent?.child() ?? createRun({ id: String(configurable["thread_id"]) }), { models: { small: model } }), modelCallLimitMiddleware({ runLimit: 5 })],
});
const { structuredResponse, messages } = await agent.invoke({ messages: "go" }, { callbacks: [phaseCallbacks(createRun())] });
structuredResponse.verdict.toUpperCase();
messages.at(-1)?.text.toUpperCase();

// Guarded tools are the tools they were, and a node's update is what it was.
const [guarded] = phaseTools(createRun(), [look]);
guarded?.schema.parse({ path: "a" }).path.toUpperCase();
new StateGraph(MessagesAnnotation)
  .addNode("agent", phaseNode(createRun(), async ({ messages: list }: typeof MessagesAnnotation.State, config, { model: chosen = model }) => ({ messages: [await chosen.invoke(list, config)] }), { models: { small: model } }))
  .addNode("tools", new ToolNode(phaseTools(createRun(), [look])))
  .addEdge(START, "agent");

// @ts-expect-error -- a run, or a function that gives one
phaseMiddleware({});
// @ts-expect-error -- the models of phases are chat models
phaseMiddleware(createRun(), { models: { small: "gpt" } });
