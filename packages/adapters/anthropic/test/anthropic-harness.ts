import { Anthropic } from "@anthropic-ai/sdk";
import { answerReview, runFrom, type RunSource, shieldRun } from "@phasekit/core/adapter";
import type { ReactingAgent, ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { seenAnthropicRequest, startAnthropicServer } from "@phasekit/tooling/anthropic-server";
import { applyTurn, executeTools, recordFailure, recordResponse, type ToolHandlers, withPhases } from "../src/index.ts";

export type Style = "wrapped" | "explicit" | "runner" | "unthreaded runner";

export const connect = (baseURL: string): Anthropic => new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });

/** A hand-written loop, with the wrapped client or the helpers alone, or the library's tool runner. */
export function anthropicHarness(style: Style): ReactingHarness {
  const isRunner = style.endsWith("runner");
  return {
    name: `anthropic, ${style}`,
    // The library's tool runner has no denial of its own.
    cannot: style === "explicit" ? ["stream", "quota", "end"] : isRunner ? ["deny"] : ["end"],
    can: ["finish", "reasoning", "user", "compact"],
    start: async (agent) => {
      const controller = new AbortController();
      const { script, answers } = agent;
      const server = await startAnthropicServer(
        script === undefined
          ? answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.abort() } : answer))
          : (request, index) => script(seenAnthropicRequest(request), index),
      );
      return {
        invoke: (source) => {
          const loop = { agent, source, signal: controller.signal, client: connect(server.url), style };
          return isRunner ? runTools(loop) : ownLoop(loop);
        },
        requests: () => server.requests.map(seenAnthropicRequest),
        close: async () => {
          await server.close();
          if (server.complaints.length > 0) throw new Error(server.complaints.join("\n"));
        },
      };
    },
  };
}

interface Loop {
  readonly agent: ReactingAgent;
  readonly source: RunSource;
  readonly signal: AbortSignal;
  readonly client: Anthropic;
  readonly style: Style;
}

const input_schema = { type: "object" as const, properties: {} };

async function ownLoop({ agent, source, signal, client: bare, style }: Loop): Promise<string> {
  const run = runFrom(source, undefined);
  const { beforeTurn, beforeFinish } = shieldRun(run);
  const { models } = agent;
  const client = style === "wrapped" ? withPhases(run, bare, { models }) : bare;
  const history: Anthropic.MessageParam[] = [{ role: "user", content: agent.prompt }];
  const handlers: ToolHandlers = Object.fromEntries(agent.tools.map(({ name, execute }) => [name, execute]));
  const approve = ({ tool }: { readonly tool: string }) =>
    agent.tools.find(({ name }) => name === tool)?.denied ?? true;

  let requests = 0;
  for (;;) {
    requests += 1;
    if (requests === agent.compact?.before)
      history.splice(0, history.length - 2, { role: "user", content: agent.compact.summary });
    const turn = await answerReview(run, beforeTurn(), agent.reviewer);
    if (turn.stop !== undefined) return "";
    const message = await ask();
    history.push({ role: "assistant", content: message.content });
    const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (message.stop_reason === "tool_use") {
      history.push({ role: "user", content: await executeTools(run, message, { handlers, approve }) });
      continue;
    }
    if (turn.wrapUp) return text;
    const finish = beforeFinish({ text });
    if (finish.accept) return text;
    history.push({ role: "user", content: finish.text });
  }

  async function ask(): Promise<Anthropic.Message> {
    const request = {
      model: agent.model,
      max_tokens: 1000,
      messages: history,
      tools: agent.tools.map(({ name }) => ({ name, input_schema })),
    };
    if (style === "wrapped")
      return agent.stream
        ? client.messages.stream(request, { signal }).finalMessage()
        : client.messages.create(request, { signal });
    try {
      return recordResponse(run, await client.messages.create(applyTurn(run, request, { models }), { signal }));
    } catch (error) {
      recordFailure(run, error);
      throw error;
    }
  }
}

async function runTools({ agent, source, signal, client: bare, style }: Loop): Promise<string> {
  const { models, reviewer } = agent;
  const client = withPhases(source, bare, { models, ...(reviewer !== undefined && { reviewer }) });
  const runner = client.beta.messages.toolRunner(
    {
      model: agent.model,
      max_tokens: 1000,
      messages: [{ role: "user", content: agent.prompt }],
      tools: agent.tools.map(({ name, execute }) => ({
        name,
        input_schema,
        parse: (input: unknown) => input,
        run: async (input: unknown, context) => {
          const output = await execute(input, { call: context?.toolUse.id ?? "" });
          return typeof output === "string" ? output : JSON.stringify(output);
        },
      })),
      stream: agent.stream,
      ...(style === "unthreaded runner" && { thread: false as const }),
    },
    { signal },
  );
  let requests = 0;
  for await (const turn of runner) {
    requests += 1;
    if (requests + 1 !== agent.compact?.before || !("content" in turn)) continue;
    const summary = { role: "user" as const, content: agent.compact.summary };
    runner.setMessagesParams({ ...runner.params, messages: [summary, { role: "assistant", content: turn.content }] });
  }
  const message = await runner.done();
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
