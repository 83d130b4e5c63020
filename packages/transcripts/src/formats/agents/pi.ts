import { defined, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, timeIn } from "../../parse/loose-json.ts";
import { withoutNudge } from "../../write/nudges.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";
import { usageOf } from "../../write/usage.ts";

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

/** Sessions of the pi coding agent. */
export const pi: TranscriptFormat = {
  name: "pi",
  title: "pi",
  detect: ({ values }) => {
    const lines = values.map(toObject);
    const isSession = lines.some(
      ({ type, id, timestamp, cwd }) =>
        type === "session" && typeof id === "string" && typeof timestamp === "string" && typeof cwd === "string",
    );
    const isMessage = lines.some(
      ({ type, message }) =>
        type === "message" && ROLES.has(toObject(message)["role"]) && toObject(message)["timestamp"] !== undefined,
    );
    return isSession && isMessage ? { certainty: 1 } : isSession || isMessage ? { certainty: 0.7 } : undefined;
  },
  translate,
};

function translate({ runs, skip, unknown }: TranslationContext): Translator {
  const run = runs.open({ agent: "pi" });
  let aborted = false;
  let answers = 0;

  function assistant(message: LooseObject, at: number | undefined): void {
    const { input, output, cacheRead, cacheWrite, reasoning, cost } = toObject(message["usage"]);
    const reason = textIn(message["stopReason"]);
    const calls = objectsIn(message["content"]).filter(({ type }) => type === "toolCall");
    const text = contentText(objectsIn(message["content"]).filter(({ type }) => type === "text"));
    // For an error the provider's own word says more.
    const finishReason = reason === "error" ? (nameIn(message["rawStopReason"]) ?? reason) : nameIn(reason);
    aborted = reason === "aborted";
    answers += 1;
    const failed = reason === "aborted" || reason === "error";
    // An answer that was given up before anything came of it is only a failure.
    if (!failed || calls.length > 0 || text !== "") {
      const inputTokens =
        numberIn(input) === undefined
          ? undefined
          : Number(input) + (numberIn(cacheRead) ?? 0) + (numberIn(cacheWrite) ?? 0);
      const usage = usageOf({
        inputTokens,
        outputTokens: output,
        cachedInputTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        reasoningTokens: reasoning,
        cost: toObject(cost)["total"],
      });
      run.answer({
        id: String(answers),
        ...defined({ at, model: nameIn(message["model"]), usage, finishReason }),
      });
      for (const { type, thinking } of objectsIn(message["content"]))
        if (type === "thinking") run.reasoning(textIn(thinking));
      run.text(text);
      for (const { id, name, arguments: given } of calls)
        run.call({ tool: textIn(name), input: given, ...defined({ call: nameIn(id), at }) });
    }
    if (failed)
      run.record({
        type: "model.failed",
        ...defined({ at, code: aborted ? "aborted" : undefined, message: nameIn(message["errorMessage"]) }),
      });
  }

  function message(value: LooseObject, at: number | undefined): void {
    switch (value["role"]) {
      case "user":
        return run.user(contentText(value["content"]), defined({ at }));
      case "assistant":
        return assistant(value, at);
      case "toolResult": {
        const text = withoutNudge(contentText(value["content"]));
        const written = /Command exited with code (\d+)\s*$/.exec(text)?.[1];
        // A command that is not an error has ended with 0.
        const exitCode = written ?? (value["toolName"] === "bash" && value["isError"] === false ? "0" : undefined);
        return run.result({
          output: text,
          outcome: text.endsWith("Command aborted") ? "denied" : value["isError"] === true ? "error" : "ok",
          ...defined({
            call: nameIn(value["toolCallId"]),
            tool: nameIn(value["toolName"]),
            at,
            exitCode: exitCode === undefined ? undefined : Number(exitCode),
          }),
        });
      }
      case "system":
      case "bashExecution":
      case "custom":
      case "branchSummary":
      case "compactionSummary":
      case "hookMessage":
        return skip(value["role"]);
      default:
        unknown(`role ${textIn(value["role"])}`);
    }
  }

  return {
    take: ({ value }) => {
      const line = toObject(value);
      const at = timeIn(line["timestamp"]);
      switch (line["type"]) {
        case "session":
          run.rename(nameIn(line["id"]) ?? run.id);
          return run.describe(defined({ folder: nameIn(line["cwd"]), model: nameIn(line["modelId"]) }));
        case "message":
          return message(toObject(line["message"]), at);
        case "compaction":
          return run.record({
            type: "context.compacted",
            ...defined({ tokensBefore: numberIn(line["tokensBefore"]) }),
            ...defined({ at }),
          });
        case "model_change":
        case "thinking_level_change":
        case "branch_summary":
        case "custom":
        case "custom_message":
        case "label":
        case "context_edit":
        case "session_info":
          return skip(line["type"]);
        default:
          unknown(textIn(line["type"]) === "" ? "line without a type" : textIn(line["type"]));
      }
    },
    end: () => {
      if (aborted) run.end({ reason: "cancelled", status: "aborted" });
    },
  };
}
