import { defined, knownUsage, type LooseObject, nameIn, tableOf, textIn, toObject } from "@phasekit/core/adapter";
import { objectsIn, timeIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { Span, SpanKind } from "../../spans/span.ts";
import { outputAnswer } from "../../spans/span-attributes.ts";
import { createSpanCollector } from "../../spans/span-collector.ts";
import type { TranscriptFormat } from "../../transcript-format.ts";

const KINDS: Readonly<Record<string, SpanKind>> = tableOf({ llm: "model", tool: "tool" });

/** Runs of LangSmith: a list of them, lines, or what its client sends: runs that were started, and what ended them. */
export const langsmith: TranscriptFormat = {
  name: "langsmith",
  title: "LangSmith runs",
  detect: ({ layout, values }) => {
    const [first] = values;
    const { post, patch } = toObject(first);
    const isRun = (value: unknown): boolean =>
      typeof toObject(value)["run_type"] === "string" &&
      (toObject(value)["start_time"] !== undefined || toObject(value)["trace_id"] !== undefined);
    if (Array.isArray(post) || Array.isArray(patch))
      return objectsIn(post ?? patch).some(isRun) ? { certainty: 1, split: ["post.*", "patch.*"] } : undefined;
    if (layout === "lines") return mostly(values, isRun) ? { certainty: 1 } : undefined;
    return Array.isArray(first)
      ? mostly(first, isRun)
        ? { certainty: 1, split: ["*"] }
        : undefined
      : isRun(first)
        ? { certainty: 1 }
        : undefined;
  },
  translate: (translation) => {
    const collector = createSpanCollector(translation);
    /** A run is started in one message and ended in another. */
    const started = new Map<string, LooseObject>();
    const MAX_STARTED = 10_000;

    function take(run: LooseObject): void {
      const id = textIn(run["id"]);
      const whole = { ...started.get(id), ...givenMembers(run) };
      if (whole["end_time"] === undefined && started.size < MAX_STARTED) {
        started.set(id, whole);
        return;
      }
      started.delete(id);
      collector.add(toSpan(whole));
    }

    return {
      take: ({ path, value }) => {
        if (typeof path.at(-1) === "string") return translation.skip(String(path.at(-1)));
        take(toObject(value));
        for (const child of objectsIn(toObject(value)["child_runs"])) take(child);
      },
      end: () => {
        for (const run of started.values()) collector.add(toSpan(run));
        collector.end();
      },
    };
  },
};

/** The record of the end omits the members of the start. */
function givenMembers(run: LooseObject): LooseObject {
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== undefined && value !== null));
}

function toSpan(run: LooseObject): Span {
  const outputs = toObject(run["outputs"]);
  const inputs = toObject(run["inputs"]);
  const kind =
    KINDS[textIn(run["run_type"])] ??
    (/agent/i.test(textIn(run["name"])) && run["run_type"] === "chain" ? "agent" : "other");
  const [generation] = objectsIn(
    objectsIn(outputs["generations"]).length > 0
      ? outputs["generations"]
      : Array.isArray(outputs["generations"])
        ? outputs["generations"].flat()
        : [],
  );
  const message = toObject(toObject(generation)["message"]);
  const answer =
    kind === "model"
      ? outputAnswer(generation === undefined ? outputs : toObject(message["kwargs"] ?? message))
      : undefined;
  const meta = toObject(toObject(run["extra"])["metadata"]);
  return {
    id: textIn(run["id"]),
    trace: nameIn(run["trace_id"]) ?? textIn(run["id"]),
    name: textIn(run["name"]),
    kind,
    ...defined({
      parent: nameIn(run["parent_run_id"]),
      startedAt: timeIn(run["start_time"]),
      endedAt: timeIn(run["end_time"]),
      input: kind === "tool" ? (inputs["input"] ?? inputs) : inputs,
      output:
        run["outputs"] === undefined || run["outputs"] === null
          ? undefined
          : kind === "tool"
            ? (outputs["output"] ?? outputs)
            : outputs,
      error: nameIn(run["error"]),
      model: nameIn(outputs["model"] ?? meta["ls_model_name"]),
      usage:
        kind === "model"
          ? (knownUsage(outputs["usage_metadata"] ?? toObject(message["kwargs"])["usage_metadata"], "langchain") ??
            knownUsage(outputs["usage"], "chat"))
          : undefined,
      tool: kind === "tool" ? nameIn(run["name"]) : undefined,
      text: answer?.text,
      calls: answer?.calls,
    }),
  };
}
