import type { RunPort } from "@phasekit/core";
import { answerReview, runFrom, shieldRun } from "@phasekit/core/adapter";
import type { ScriptedAgent } from "@phasekit/core/testing";
import type { ReactingHarness } from "@phasekit/tooling/adapter-suite";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { applyTurn, executeTools, recordFailure, recordResponse, type ToolHandlers, withPhases } from "../src/index.ts";
import type { Client, Major } from "./majors.ts";

type Responses = Awaited<ReturnType<Client["responses"]["create"]>> & {
  readonly output: readonly { readonly type: string }[];
  readonly output_text: string;
};
type Completion = {
  readonly choices: readonly {
    readonly message: { readonly content: string | null; readonly tool_calls?: readonly unknown[] };
  }[];
};

/** A hand-written loop over either API, with the wrapped client or with the helpers alone. */
export function openAiHarness(
  { version, connect }: Major,
  { api, style }: { readonly api: "chat" | "responses"; readonly style: "wrapped" | "explicit" },
): ReactingHarness {
  return {
    name: `openai ${version}, ${api}, ${style}`,
    cannot: style === "explicit" ? ["stream", "quota", "end"] : ["end"],
    can: ["finish", "reasoning", "user", "compact"],
    start: async (agent) => {
      const controller = { current: new AbortController() };
      const { script, answers } = agent;
      const server = await startOpenAiServer(
        script === undefined
          ? answers.map((answer) => (answer.aborted === true ? { hangs: () => controller.current.abort() } : answer))
          : (request, index) => script(seenRequest(request), index),
      );
      return {
        invoke: (source) => {
          const run = runFrom(source, undefined);
          return loop({
            agent,
            run,
            server,
            signal: controller.current.signal,
            client: connect(server.url),
            api,
            style,
          });
        },
        requests: () => server.requests.map(seenRequest),
        close: async () => {
          await server.close();
          if (server.complaints.length > 0) throw new Error(server.complaints.join("\n"));
        },
      };
    },
  };
}

interface Loop {
  readonly agent: ScriptedAgent;
  readonly run: RunPort;
  readonly server: OpenAiServer;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly api: "chat" | "responses";
  readonly style: "wrapped" | "explicit";
}

async function loop({ agent, run, signal, client: bare, api, style }: Loop): Promise<string> {
  const { beforeTurn, beforeFinish } = shieldRun(run);
  const { models } = agent;
  const client = style === "wrapped" ? withPhases(run, bare, { models }) : bare;
  const history: object[] = [{ role: "user", content: agent.prompt }];
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
    const answer = await ask();
    const { text, calls } = api === "chat" ? readChat(answer as Completion) : readResponses(answer as Responses);
    if (calls) {
      history.push(...(await executeTools(run, answer, { handlers, approve })));
      continue;
    }
    if (turn.wrapUp) return text;
    const finish = beforeFinish({ text });
    if (finish.accept) return text;
    history.push({ role: "user", content: finish.text });
  }

  async function ask(): Promise<object> {
    const parameters = { type: "object", properties: {} };
    const tools = agent.tools.map(({ name }) =>
      api === "chat"
        ? { type: "function", function: { name, parameters } }
        : { type: "function", name, parameters, strict: false },
    );
    const bodyOf = api === "chat" ? { messages: history } : { input: history };
    const request = { model: agent.model, tools, ...bodyOf, ...(agent.stream && { stream: true }) };
    const body = style === "wrapped" ? request : applyTurn(run, request, { models });
    try {
      const create = (
        api === "chat"
          ? client.chat.completions.create.bind(client.chat.completions)
          : client.responses.create.bind(client.responses)
      ) as (body: object, options: object) => Promise<object>;
      const given = await create(body, { signal });
      const whole = agent.stream ? await collect(given as AsyncIterable<Record<string, unknown>>) : given;
      return style === "wrapped" ? whole : recordResponse(run, whole);
    } catch (error) {
      if (style === "explicit") recordFailure(run, error);
      throw error;
    }
  }

  function readChat({ choices: [choice] }: Completion): { readonly text: string; readonly calls: boolean } {
    if (choice === undefined) throw new Error("no choice");
    history.push({ role: "assistant", ...choice.message });
    return { text: choice.message.content ?? "", calls: choice.message.tool_calls !== undefined };
  }

  function readResponses({ output }: Responses): { readonly text: string; readonly calls: boolean } {
    history.push(...output);
    const text = output
      .flatMap((item) => (item.type === "message" ? (item as unknown as { content: { text: string }[] }).content : []))
      .map((part) => part.text)
      .join("");
    return { text, calls: output.some(({ type }) => type === "function_call") };
  }
}

/** Reads a stream like a host: assembled chat chunks, or the last Responses event. A cut stream is an abort. */
async function collect(stream: AsyncIterable<Record<string, unknown>>): Promise<object> {
  let content = "";
  const calls: { id: string; type: "function"; function: { name: string; arguments: string } }[] = [];
  let response: object | undefined;
  let finished = false;
  for await (const chunk of stream) {
    if (typeof chunk["type"] === "string") {
      if (/^response\.(completed|incomplete)$/.test(chunk["type"])) response = chunk["response"] as object;
      continue;
    }
    const [choice] = chunk["choices"] as {
      delta: {
        content?: string;
        tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[];
      };
      finish_reason: string | null;
    }[];
    if (choice === undefined) throw new Error("The host was given a chunk it did not ask for.");
    content += choice.delta.content ?? "";
    finished ||= choice.finish_reason !== null;
    for (const { index, id = "", function: part } of choice.delta.tool_calls ?? []) {
      const call = (calls[index] ??= { id, type: "function", function: { name: part.name ?? "", arguments: "" } });
      call.function.arguments += part.arguments ?? "";
    }
  }
  if (response === undefined && !finished) throw Object.assign(new Error("aborted"), { name: "AbortError" });
  return (
    response ?? {
      choices: [
        { message: { content: content === "" ? null : content, ...(calls.length > 0 && { tool_calls: calls }) } },
      ],
    }
  );
}
