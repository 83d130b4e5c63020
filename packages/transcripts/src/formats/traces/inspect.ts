import type { Reason, Usage } from "@phasekit/core";
import {
  defined,
  knownUsage,
  type LooseObject,
  nameIn,
  numberIn,
  tableOf,
  textIn,
  toObject,
} from "@phasekit/core/adapter";
import { contentText, objectsIn, readResult, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

/** Evaluation logs of Inspect, as JSON: a run for each sample, with its score. */
export const inspect: TranscriptFormat = {
  name: "inspect",
  title: "Inspect",
  detect: ({ values: [first] }) => {
    const { version, eval: evaluation, samples, status } = toObject(first);
    return typeof version === "number" &&
      typeof toObject(evaluation)["task"] === "string" &&
      (Array.isArray(samples) || typeof status === "string")
      ? { certainty: 1, split: ["samples.*"], first: ["eval"] }
      : undefined;
  },
  translate,
};

const LIMITS: Readonly<Record<string, Reason>> = tableOf({
  message: "step_limit",
  token: "token_limit",
  time: "timeout",
  working: "timeout",
  cost: "cost_limit",
  operator: "cancelled",
  context: "context_overflow",
});

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  let task = "";

  function sample(value: LooseObject): void {
    const epoch = numberIn(value["epoch"]) === 1 ? "" : `#${String(value["epoch"])}`;
    const id = `${task === "" ? "" : `${task}/`}${String(value["id"])}${epoch}`;
    const run = runs.open({ id, task: { id: String(value["id"]) } });
    const model = modelCalls(objectsIn(value["events"]));
    for (const message of objectsIn(value["messages"])) write(run, message, model);
    run.end(endingOf(value));
  }

  function write(run: RunWriter, message: LooseObject, model: ReadonlyMap<string, ModelCall>): void {
    const { role, content, id } = message;
    if (role === "user") return run.user(contentText(content));
    if (role === "assistant") {
      run.answer({ id: textIn(id), ...defined({ model: nameIn(message["model"]) }), ...model.get(textIn(id)) });
      for (const { type, reasoning } of objectsIn(content)) if (type === "reasoning") run.reasoning(textIn(reasoning));
      run.text(contentText(content));
      for (const { id: call, function: tool, arguments: input } of objectsIn(message["tool_calls"]))
        run.call({ tool: textIn(tool), input, ...defined({ call: nameIn(call) }) });
    } else if (role === "tool") {
      const { message: error, type } = toObject(message["error"]);
      run.result({
        output: nameIn(error) ?? readResult(contentText(content)),
        outcome:
          message["error"] === undefined || message["error"] === null ? "ok" : type === "approval" ? "denied" : "error",
        ...defined({ call: nameIn(message["tool_call_id"]), tool: nameIn(message["function"]) }),
      });
    } else if (role === "system") skip("system message");
    else unknown(`role ${textIn(role)}`);
  }

  return {
    take: ({ path: [first], value }) => {
      if (first === "samples") return sample(toObject(value));
      if (first === "eval") task = textIn(toObject(value)["task"]);
      skip(String(first));
    },
  };
}

interface ModelCall {
  readonly at?: number;
  readonly usage?: Usage;
}

/** Notes on each answer from the log of events, by the answer's id. */
function modelCalls(events: readonly LooseObject[]): ReadonlyMap<string, ModelCall> {
  const calls = new Map<string, ModelCall>();
  for (const { event, output, completed, timestamp } of events) {
    if (event !== "model") continue;
    const { choices, usage } = toObject(output);
    const {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      input_tokens_cache_read: cachedInputTokens,
      input_tokens_cache_write: cacheWriteTokens,
      reasoning_tokens: reasoningTokens,
    } = toObject(usage);
    const id = textIn(toObject(objectsIn(choices)[0]?.["message"])["id"]);
    calls.set(
      id,
      defined({
        at: timeIn(completed) ?? timeIn(timestamp),
        usage: knownUsage({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens }),
      }),
    );
  }
  return calls;
}

function endingOf({ scores, limit, error }: LooseObject): Parameters<RunWriter["end"]>[0] {
  const [score] = Object.entries(toObject(scores));
  const value = toObject(score?.[1])["value"];
  const judged =
    score === undefined
      ? undefined
      : { success: value === "C" || value === true || (typeof value === "number" && value >= 1), by: score[0] };
  const kind = textIn(toObject(limit)["type"]);
  const reason =
    error !== undefined && error !== null
      ? ("unknown" as const)
      : kind === ""
        ? undefined
        : (LIMITS[kind] ?? "unknown");
  const ending = defined({ judged, reason, status: nameIn(kind) });
  return Object.keys(ending).length === 0 ? undefined : ending;
}
