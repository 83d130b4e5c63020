import {
  answerReview,
  createNudgeAnchors,
  endOwnRun,
  failureToEvent,
  failureToModelEvent,
  modelForLabel,
  quotaToEvents,
  resultToEvent,
  runFrom,
  type RunSource,
  shieldRun,
} from "../src/adapter.ts";
import type { RunPort } from "../src/index.ts";
import type {
  AdapterHarness,
  ScriptedAgent,
  ScriptedAnswer,
  ScriptedTool,
  SeenMessage,
  SeenRequest,
} from "../src/testing.ts";

/** An agent loop with nothing around it: the model is a list of answers. What every adapter does, in one page. */
export const plainLoop: AdapterHarness = {
  name: "plain loop",
  start: (agent) => {
    const seen: SeenRequest[] = [];
    let asked = 0;
    const model = (request: SeenRequest): ScriptedAnswer => {
      seen.push(request);
      const answer = agent.answers[asked] ?? { text: "end of script" };
      asked += 1;
      if (answer.fails !== undefined) throw Object.assign(new Error("the provider failed"), answer.fails);
      if (answer.aborted) throw Object.assign(new Error("aborted"), { name: "AbortError" });
      return answer;
    };
    const invoke = async (source: RunSource): Promise<string> => {
      const run = runFrom(source, undefined);
      try {
        const text = await loop(agent, { run, model });
        endOwnRun(source, run);
        return text;
      } catch (error) {
        endOwnRun(source, run, { error });
        throw error;
      }
    };
    return { invoke, requests: () => seen };
  },
};

async function loop(
  agent: ScriptedAgent,
  { run, model }: { readonly run: RunPort; readonly model: (request: SeenRequest) => ScriptedAnswer },
): Promise<string> {
  const { beforeTurn, beforeTool, beforeFinish, record, text: watch } = shieldRun(run);
  const anchors = createNudgeAnchors(run);
  let messages: SeenMessage[] = [{ role: "user", text: agent.prompt }];
  let calls = 0;
  for (;;) {
    const turn = await answerReview(run, beforeTurn(), agent.reviewer);
    if (turn.stop !== undefined) return "";
    messages = anchors.place(messages, {
      text: turn.message,
      make: (text) => ({ role: "user", text }),
      read: ({ text }) => text,
    });
    const tools = agent.tools.map(({ name }) => name);
    const request = {
      model: modelForLabel(run, turn.model, agent.models) ?? agent.model,
      messages: [...messages],
      tools,
      toolChoice: turn.wrapUp ? "none" : "auto",
    };
    const answer = ask(request);
    const { text = "", calls: wanted = [] } = answer;
    if (agent.stream) for (const piece of text.match(/.{1,5}/g) ?? []) watch(piece);
    for (const fact of quotaToEvents((name) => answer.headers?.[name], run.view.now)) record(fact);
    record({
      type: "model.answered",
      model: request.model,
      ...(answer.usage && { usage: usageOf(answer.usage) }),
      finishReason: wanted.length > 0 ? "tool-calls" : "stop",
      textLength: text.length,
      toolCalls: wanted.length,
    });
    if (text !== "") record({ type: "message.sent", text });
    messages.push({ role: "assistant", text, ...(wanted.length > 0 && { calls: wanted.map(({ tool }) => tool) }) });
    if (wanted.length === 0) {
      if (turn.wrapUp) return text;
      const finish = beforeFinish({ text });
      if (finish.accept) return text;
      messages.push({ role: "user", text: finish.text });
      continue;
    }
    const asked = wanted.map(({ tool, input }) => ({
      tool,
      input,
      answer: beforeTool({ call: `c${String((calls += 1))}`, tool, input }),
    }));
    for (const { tool, input, answer } of asked)
      messages.push({
        role: "tool",
        text: answer.allow ? await execute(agent.tools, { tool, input, call: answer.call }) : answer.text,
      });
  }

  function ask(request: SeenRequest): ScriptedAnswer {
    try {
      return model(request);
    } catch (error) {
      record(failureToModelEvent(error));
      throw error;
    }
  }

  async function execute(
    tools: readonly ScriptedTool[],
    { tool, input, call }: { readonly tool: string; readonly input: unknown; readonly call: string },
  ): Promise<string> {
    const found = tools.find(({ name }) => name === tool);
    const subject = { call, tool };
    if (found?.denied !== undefined) {
      record({ type: "tool.finished", ...subject, outcome: "denied", output: found.denied });
      return found.denied;
    }
    try {
      if (found === undefined) throw new Error(`Unknown tool "${tool}".`);
      const output = await found.execute(input, { call });
      record(resultToEvent(subject, output));
      return typeof output === "string" ? output : JSON.stringify(output);
    } catch (error) {
      record(failureToEvent(subject, error));
      return String(error);
    }
  }
}

function usageOf({ input, output, cached, reasoning }: NonNullable<ScriptedAnswer["usage"]>): object {
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached !== undefined && { cachedInputTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}
