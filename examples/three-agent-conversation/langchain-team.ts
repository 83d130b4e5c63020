import { fakeModel } from "@langchain/core/testing";
import { toLangChainTools, withPhases } from "@phasekit/langchain";
import { type AgentSpec, defineAgent } from "@phasekit/orchestrator";
import { AIMessage, createAgent, ToolMessage } from "langchain";
import type { Project } from "./project.ts";
import { scriptFor } from "./scripts.ts";
import { ROLES } from "./team.ts";

/** The three agents on LangChain. Each has its own run, through the adapter; only the models are scripted. */
export function createLangChainTeam({ tools }: Project): readonly AgentSpec[] {
  return ROLES.map((role) =>
    defineAgent({
      ...role,
      ...(role.name === "executor" && { tools }),
      work: async (context) => {
        const { calls, say } = scriptFor(context);
        const usage = {
          usage_metadata: {
            input_tokens: context.prompt.length,
            output_tokens: 20,
            total_tokens: context.prompt.length + 20,
          },
        };
        const model = fakeModel();
        if (calls.length > 0)
          model.respond(
            new AIMessage({
              content: "",
              tool_calls: calls.map(({ tool, input }, index) => ({ name: tool, args: input, id: `call-${index + 1}` })),
              ...usage,
            }),
          );
        model.respond(
          (messages) =>
            new AIMessage({
              content:
                say(messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text)).text ?? "",
              ...usage,
            }),
        );
        const tools = toLangChainTools(context.tools);
        const agent = createAgent(withPhases(context.run, { model, tools, systemPrompt: context.prompt }));
        const { messages } = await agent.invoke({ messages: context.request }, { signal: context.signal });
        const results = messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text);
        return { ...say(results), text: messages.at(-1)?.text ?? "" };
      },
    }),
  );
}
