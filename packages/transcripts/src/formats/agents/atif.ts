import { defined, knownUsage, type LooseObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, readResult, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

/** Trajectories in the Agent Trajectory Interchange Format (ATIF), with the sub-agents they carry as child runs. */
export const atif: TranscriptFormat = {
  name: "atif",
  title: "ATIF",
  detect: ({ values: [first] }) => {
    const { schema_version: version, steps } = toObject(first);
    return typeof version === "string" && version.startsWith("ATIF") && Array.isArray(steps)
      ? {
          certainty: 1,
          split: ["steps.*"],
          first: ["schema_version", "session_id", "trajectory_id", "agent", "subagent_trajectories"],
        }
      : undefined;
  },
  translate,
};

function translate({ runs, skip }: TranslationContext): Translator {
  const run = runs.open();
  const children = new Map<string, LooseObject>();

  function about(writer: RunWriter, member: string, value: unknown): void {
    if (member === "session_id" || member === "trajectory_id") writer.rename(nameIn(value) ?? writer.id);
    else if (member === "agent") {
      const { name, version, model_name: model } = toObject(value);
      writer.describe(
        defined({
          agent: [name, version].filter((part) => typeof part === "string").join(" ") || undefined,
          model: nameIn(model),
        }),
      );
    } else if (member === "subagent_trajectories") {
      for (const child of objectsIn(value))
        children.set(textIn(child["trajectory_id"]) || textIn(child["session_id"]), child);
    }
  }

  function child(writer: RunWriter, trajectory: LooseObject, call: string | undefined): void {
    const id = nameIn(trajectory["trajectory_id"]) ?? nameIn(trajectory["session_id"]);
    const started = writer.child(
      defined({ id, call, startedAt: timeIn(objectsIn(trajectory["steps"])[0]?.["timestamp"]) }),
    );
    about(started, "agent", trajectory["agent"]);
    for (const value of objectsIn(trajectory["steps"])) step(started, value);
    started.end();
  }

  function step(writer: RunWriter, value: LooseObject): void {
    const at = timeIn(value["timestamp"]);
    const text = contentText(value["message"]);
    if (value["source"] === "user") return writer.user(text, defined({ at }));
    if (value["source"] === "agent") {
      const {
        prompt_tokens: inputTokens,
        completion_tokens: outputTokens,
        cached_tokens: cachedInputTokens,
        cost_usd: cost,
      } = toObject(value["metrics"]);
      const usage = knownUsage({ inputTokens, outputTokens, cachedInputTokens, cost });
      writer.answer({ id: String(value["step_id"]), ...defined({ at, model: nameIn(value["model_name"]), usage }) });
      const reasoning = nameIn(value["reasoning_content"]);
      if (reasoning !== undefined) writer.reasoning(reasoning);
      writer.text(text);
      for (const { tool_call_id: id, function_name: name, arguments: input } of objectsIn(value["tool_calls"]))
        writer.call({ tool: textIn(name), input, ...defined({ call: nameIn(id), at }) });
    } else if (value["observation"] === undefined) return skip("system step");
    for (const result of objectsIn(toObject(value["observation"])["results"])) observation(writer, result, at);
  }

  function observation(writer: RunWriter, result: LooseObject, at: number | undefined): void {
    const call = nameIn(result["source_call_id"]);
    for (const reference of objectsIn(result["subagent_trajectory_ref"])) {
      const known = children.get(textIn(reference["trajectory_id"])) ?? children.get(textIn(reference["session_id"]));
      if (known !== undefined) child(writer, known, call);
    }
    const { content } = result;
    const { exit_code: code, is_error: isError } = toObject(result["extra"]);
    if (call === undefined && !writer.isOpen("")) return skip("observation without a call");
    writer.result({
      output: typeof content === "string" ? readResult(content) : contentText(content),
      ...((isError === true || result["is_error"] === true) && { outcome: "error" as const }),
      ...defined({ call, at }),
      ...(typeof code === "number" && { exitCode: code }),
    });
  }

  return {
    take: ({ path: [first], value }) => {
      if (first === "steps") step(run, toObject(value));
      else {
        about(run, String(first), value);
        skip(String(first));
      }
    },
  };
}
