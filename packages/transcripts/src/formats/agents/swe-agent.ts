import type { Reason } from "@phasekit/core";
import { defined, isObject, type LooseObject, nameIn, numberIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn } from "../../parse/loose-json.ts";
import { mostly } from "../../parse/mostly.ts";
import type { TranscriptFormat, TranslationContext, Translator } from "../../transcript-format.ts";

/** Trajectories of SWE-agent. Its actions are shell commands, including its own. */
export const sweAgent: TranscriptFormat = {
  name: "swe-agent",
  title: "SWE-agent",
  detect: ({ values: [first] }) => {
    const { trajectory, history } = toObject(first);
    const steps = objectsIn(trajectory);
    const isOurs =
      steps.length > 0
        ? mostly(
            steps,
            (step) => "action" in step && "observation" in step && ("thought" in step || "response" in step),
          )
        : Array.isArray(trajectory) && Array.isArray(history);
    return isOurs
      ? { certainty: 0.95, split: ["trajectory.*", "history.*"], first: ["info", "history", "environment"] }
      : undefined;
  },
  translate,
};

function translate({ runs, skip }: TranslationContext): Translator {
  const run = runs.open({ agent: "SWE-agent" });
  let info: LooseObject = {};
  let hasTask = false;
  let steps = 0;

  function step(value: LooseObject): void {
    const action = textIn(value["action"]).trim();
    const seconds = numberIn(value["execution_time"]);
    const observation = value["observation"];
    steps += 1;
    run.answer({ id: String(steps) });
    run.text(textIn(value["thought"]).trim() || textIn(value["response"]).trim());
    if (action === "") return run.record({ type: "validation.failed", path: "", expected: textIn(observation) });
    run.call(callOf(action, value["state"]));
    run.result({
      output: observation ?? "",
      outcome: REFUSED.test(textIn(observation)) ? "error" : "ok",
      ...defined({ durationMs: seconds === undefined ? undefined : Math.round(seconds * 1000) }),
    });
    if (action === "submit" || action.startsWith("submit ") || action.startsWith("exit_forfeit"))
      run.finish(textIn(value["thought"]).trim() || action);
  }

  return {
    take: ({ path: [first], value }) => {
      const object = toObject(value);
      if (first === "trajectory") step(object);
      else if (first === "history") {
        if (
          hasTask ||
          object["role"] !== "user" ||
          object["is_demo"] === true ||
          object["message_type"] === "demonstration"
        )
          return skip("history");
        hasTask = true;
        run.user(contentText(object["content"]));
      } else if (first === "info") info = object;
      else if (first === "environment") {
        if (typeof value === "string" && /[-_]\d+$/.test(value)) run.rename(value);
        skip("environment");
      } else if (first === "replay_config")
        run.describe(defined({ model: nameIn(toObject(toObject(readConfig(value)["agent"])["model"])["name"]) }));
      else skip(String(first));
    },
    end: () => {
      const status = nameIn(info["exit_status"]);
      if (status === undefined) return;
      const reason = reasonOf(status);
      run.end({ status, ...defined({ reason, summary: nameIn(info["submission"]) }) });
    },
  };
}

const REFUSED_PARTS = [
  "Your (?:bash )?command (?:contained syntax errors|was not executed)",
  "Interactive operation",
  String.raw`Your (?:proposed )?(?:edit|changes) (?:has|have|was|were)\b`,
];
/** Observations of an action that was not carried out. */
const REFUSED = new RegExp(`^(?:${REFUSED_PARTS.join("|")})`);

/** The editor changes lines of the open file. Only the state next to the action names that file. */
function callOf(action: string, state: unknown): { readonly tool: string; readonly input: unknown } {
  const [, lines, text = ""] = /^edit (\d+:\d+)\s*\n([\s\S]*?)(?:\nend_of_edit\s*)?$/.exec(action) ?? [];
  const path = nameIn(readConfig(state)["open_file"]);
  return lines === undefined || path === undefined || path === "n/a"
    ? { tool: "bash", input: { command: action } }
    : { tool: "edit", input: { path, lines, new_text: text } };
}

/** Some versions write it as JSON inside a JSON string. */
function readConfig(value: unknown): LooseObject {
  if (isObject(value)) return value;
  try {
    return toObject(JSON.parse(textIn(value)));
  } catch {
    return {};
  }
}

function reasonOf(status: string): Reason | undefined {
  if (status.includes("exit_cost")) return "cost_limit";
  if (status.includes("exit_context")) return "context_overflow";
  if (status.includes("exit_format")) return "validation_giveup";
  if (status.includes("exit_total_execution_time") || status.includes("timeout")) return "timeout";
  if (status.includes("exit_forfeit")) return "abandoned";
  if (status === "submitted") return undefined;
  if (status.includes("exit_api")) return "upstream_unhealthy";
  return status.includes("exit_command") || status === "early_exit" ? "cancelled" : "unknown";
}
