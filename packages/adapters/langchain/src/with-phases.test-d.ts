import { ChatOpenAI } from "@langchain/openai";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createRun } from "@phasekit/core";
import { createAgent, createMiddleware, modelCallLimitMiddleware } from "langchain";
import { z } from "zod";
import { phaseCallbacks } from "./phase-callbacks.ts";
import { phaseMiddleware } from "./phase-middleware.ts";
import { phaseTools } from "./phase-tools.ts";
import { withPhases } from "./with-phases.ts";

const model = new ChatOpenAI({ model: "m" });
const look = tool(({ path }) => path.length, {
  name: "look",
  description: "Looks.",
  schema: z.object({ path: z.string() }),
});

// The middleware does not change the types of the agent: its state, its response, those of other middlewares.
const agent = createAgent({
  model,
  tools: [look],
  responseFormat: z.object({ verdict: z.string() }),
  middleware: [
    phaseMiddleware(
      ({ configurable, parent }) => parent?.child() ?? createRun({ id: String(configurable["thread_id"]) }),
      { models: { small: model } },
    ),
    modelCallLimitMiddleware({ runLimit: 5 }),
  ],
});
const { structuredResponse, messages } = await agent.invoke(
  { messages: "go" },
  { callbacks: [phaseCallbacks(createRun())] },
);
structuredResponse.verdict.toUpperCase();
messages.at(-1)?.text.toUpperCase();

// Neither does `withPhases`.
const counter = createMiddleware({
  name: "counter",
  stateSchema: z.object({ count: z.number().default(0) }),
});
const wrapped = createAgent(
  withPhases(() => createRun(), {
    model,
    tools: [look],
    responseFormat: z.object({ verdict: z.string() }),
    contextSchema: z.object({ user: z.string() }),
    middleware: [counter, modelCallLimitMiddleware({ runLimit: 5 })],
  }),
);
const result = await wrapped.invoke({ messages: "go", count: 1 }, { context: { user: "u" } });
result.structuredResponse.verdict.toUpperCase();
result.count.toFixed();
// @ts-expect-error -- the agent has no such state
const { missing: _missing } = result;
// @ts-expect-error -- the context is typed by its schema
await wrapped.invoke({ messages: "go" }, { context: { user: 5 } });
const bare = createAgent(
  withPhases(createRun(), { model: "openai:gpt-5-mini", tools: [] }, { models: { small: model } }),
);
(await bare.invoke({ messages: "go" })).messages.at(-1)?.text.toUpperCase();
// @ts-expect-error -- a model is a chat model or its name
createAgent(withPhases(createRun(), { model: 5, tools: [look] }));
// @ts-expect-error -- the models of phases are chat models
withPhases(createRun(), { model, tools: [] }, { models: { small: "gpt" } });

// Guarded tools keep their types, and so does the update of a node.
const [guarded] = phaseTools(createRun(), [look]);
guarded?.schema.parse({ path: "a" }).path.toUpperCase();
new StateGraph(MessagesAnnotation)
  .addNode(
    "agent",
    withPhases(
      createRun(),
      async ({ messages: list }: typeof MessagesAnnotation.State, config, { model: chosen = model }) => ({
        messages: [await chosen.invoke(list, config)],
      }),
      { models: { small: model } },
    ),
  )
  .addNode("tools", new ToolNode(phaseTools(createRun(), [look])))
  .addEdge(START, "agent");

// @ts-expect-error -- a run, or a function that gives one
phaseMiddleware({});
// @ts-expect-error -- the models of phases are chat models
phaseMiddleware(createRun(), { models: { small: "gpt" } });
