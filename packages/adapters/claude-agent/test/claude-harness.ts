import { query } from "@anthropic-ai/claude-agent-sdk";
import type { ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { scriptedClaude } from "@phasekit/tooling/scripted-claude";
import { withPhases } from "../src/index.ts";

/** The real SDK with a scripted Claude Code behind it. */
export function claudeHarness({ partial }: { readonly partial: boolean }): ReactingHarness {
  return {
    name: `claude-agent${partial ? "" : ", without partial messages"}`,
    // The SDK shows no headers of the provider.
    cannot: ["quota"],
    // Claude Code shortens its history itself: see query.test.ts.
    can: ["finish", "reasoning", "user"],
    start: (agent) => {
      const controller = { current: new AbortController() };
      const { script, answers, reviewer, models } = agent;
      const claude = scriptedClaude({
        script:
          script ??
          answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.current.abort() } : answer)),
        tools: agent.tools,
        model: agent.model,
      });
      return {
        invoke: async (source) => {
          const ask = withPhases(source, query, {
            models,
            partialMessages: partial,
            ...(reviewer !== undefined && { reviewer }),
          });
          let text = "";
          for await (const message of ask({
            prompt: agent.prompt,
            options: {
              spawnClaudeCodeProcess: claude.spawn,
              pathToClaudeCodeExecutable: "/scripted/claude",
              abortController: controller.current,
              settingSources: [],
              includePartialMessages: agent.stream,
              canUseTool: (tool, input) => {
                const denied = agent.tools.find(({ name }) => name === tool)?.denied;
                return Promise.resolve(
                  denied === undefined
                    ? { behavior: "allow", updatedInput: input }
                    : { behavior: "deny", message: denied },
                );
              },
            },
          })) {
            if (message.type === "result" && message.subtype === "success") text = message.result;
            if (message.type === "stream_event" && !agent.stream) throw new Error("The host did not ask for it.");
          }
          return text;
        },
        requests: () => claude.requests,
      };
    },
  };
}
