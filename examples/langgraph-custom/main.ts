// A LangGraph graph of one's own with a run in it: two wrappers, one around the model node, one around the tools.
import assert from "node:assert/strict";
import { tool } from "@langchain/core/tools";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { budget, createRun, definePhaseGraph, definePolicy, stallReminder, trackRun, transition } from "@phasekit/core";
import { phaseTools, withPhases } from "@phasekit/langchain";
import { z } from "zod";
import { connect } from "./scripted-model.ts";

const phases = definePhaseGraph({
  name: "article",
  initial: "researching",
  phases: {
    researching: { next: ["writing"], purpose: "Look things up.", tools: { deny: ["publish"] } },
    writing: { next: [], final: true, purpose: "Write what was found, and publish it." },
  },
});

const enoughFound = definePolicy({
  name: "enough-found",
  mentions: ["researching", "writing"],
  initial: () => ({ found: 0 }),
  observe: {
    "tool.finished": (state, { tool, outcome }) => {
      if (tool === "search" && outcome === "ok") state.found += 1;
    },
  },
  decide: {
    "tool.finished": (run, { found }) =>
      found >= 3 && run.isIn("researching") ? transition("writing", { reason: "three sources" }) : undefined,
  },
});

const published: string[] = [];
const search = tool(({ query }) => `Three results for ${query}.`, {
  name: "search",
  description: "Looks something up.",
  schema: z.object({ query: z.string() }),
});
const publish = tool(({ text }) => `Published as number ${published.push(text)}.`, {
  name: "publish",
  description: "Publishes a text.",
  schema: z.object({ text: z.string() }),
});

const { model, close } = await connect();
const run = createRun({
  graph: phases,
  mode: "gate",
  policies: [enoughFound, stallReminder({ afterTurns: 3 }), budget({ turns: 12 })],
});
const tools = phaseTools(run, [search, publish]);
const agent = withPhases(run, async ({ messages }: typeof MessagesAnnotation.State, config, { toolChoice }) => ({
  messages: [await model.bindTools(tools, toolChoice && { tool_choice: toolChoice }).invoke(messages, config)],
}));

const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", agent)
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "agent")
  .addConditionalEdges("agent", toolsCondition, ["tools", END])
  .addEdge("tools", "agent")
  .compile({ checkpointer: new MemorySaver() });

const { messages } = await trackRun(run, () =>
  graph.invoke({ messages: "Write about otters." }, { configurable: { thread_id: "otters" } }),
);
await close();

console.log(messages.map((message) => `${message.type}: ${message.text}`).join("\n"));
console.log(run.view.transitions.map(({ from, to, reason }) => `${from} → ${to}: ${reason ?? ""}`).join("\n"));
console.log(
  "nudges:",
  run.view.nudges.map(({ text }) => text),
);
assert.deepEqual(
  [published, run.outcome?.reason, run.outcome?.phase, run.view.nudges.length],
  [["Otters are mammals."], "done", "writing", 1],
);
