import type { Reason } from "@phasekit/core";
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
import { contentText, objectsIn, readArguments, timeIn } from "../../parse/loose-json.ts";
import type { RunWriter } from "../../write/run-writer.ts";
import { todosOf } from "../../write/todos.ts";
import type { TranscriptFormat, TranslationContext } from "../../transcript-format.ts";
import { isSdkEvent, sdkEvent } from "./openhands-sdk.ts";

/** Events of OpenHands: a trajectory, a list, lines, or a benchmark's output with one run per line. */
export const openhands: TranscriptFormat = {
  name: "openhands",
  title: "OpenHands",
  detect: ({ layout, values }) => {
    const [first] = values;
    const { trajectory, history, events } = toObject(first);
    if (layout === "lines") {
      if (isHistory(history)) return { certainty: 0.95, split: ["*.history.*"], variant: "outputs" };
      return isHistory(values) ? { certainty: 0.95 } : undefined;
    }
    if (isHistory(trajectory)) return { certainty: 0.95, split: ["trajectory.*"] };
    if (isHistory(events)) return { certainty: 0.95, split: ["events.*"] };
    if (isHistory(history)) return { certainty: 0.95, split: ["history.*"], variant: "output" };
    return isHistory(first) ? { certainty: 0.95, split: ["*"] } : undefined;
  },
  translate: (translation) => {
    const { runs, variant, skip, unknown } = translation;
    let run: RunWriter | undefined;
    let place: unknown;
    let output: Outcome = {};
    const events = createEventWriter(translation);

    function close(): void {
      run?.end(endingOf(output));
      output = {};
      run = undefined;
      events.reset();
    }

    /** Notes of a benchmark on the run, next to its events. */
    function about(member: string, value: unknown): void {
      run ??= runs.open({ agent: "OpenHands" });
      if (member === "instance_id" || member === "sid" || member === "id") run.rename(String(value));
      else if (member === "instruction") run.user(textIn(value));
      else if (member === "error") output = { ...output, ...defined({ error: nameIn(value) }) };
      else if (member === "success" || member === "resolved")
        output = { ...output, ...(typeof value === "boolean" && { success: value }) };
      else if (member === "test_result" || member === "report") {
        const resolved = toObject(toObject(value)["report"])["resolved"] ?? toObject(value)["resolved"];
        output = { ...output, ...(typeof resolved === "boolean" && { success: resolved }) };
      } else if (member === "metadata")
        run.describe(defined({ model: nameIn(toObject(toObject(value)["llm_config"])["model"]) }));
      else skip(member);
    }

    return {
      take: ({ path, value }) => {
        const line = variant === "outputs" ? path[0] : undefined;
        if (line !== place) {
          close();
          place = line;
        }
        const inside = variant === "outputs" ? path.slice(1) : path;
        if (typeof inside[0] === "string" && inside.length === 1) return about(inside[0], value);
        run ??= runs.open({ agent: "OpenHands" });
        // Older outputs keep each action with its observation in a list of two.
        for (const event of Array.isArray(value) ? objectsIn(value) : [toObject(value)]) {
          if (isSdkEvent(event)) sdkEvent(run, event, { skip, unknown });
          else events.write(run, event);
        }
      },
      end: () => {
        output = { ...events.state(), ...output };
        close();
      },
    };
  },
};

interface Outcome {
  readonly error?: string;
  readonly success?: boolean;
  readonly agentState?: string;
}

function isHistory(value: unknown): boolean {
  const list = Array.isArray(value) ? objectsIn(value.flat()) : [];
  const isEvent = ({ action, observation, source, args, content, extras, thought }: LooseObject): boolean =>
    (typeof action === "string" &&
      observation === undefined &&
      (source !== undefined || args !== undefined || thought !== undefined || content !== undefined)) ||
    (typeof observation === "string" && (content !== undefined || extras !== undefined) && action === undefined);
  return list.length > 0 && (list.filter(isEvent).length * 2 > list.length || list.some(isSdkEvent));
}

/** Why a run ended, from the error a benchmark notes or the last state of the agent. */
function endingOf({ error, success, agentState }: Outcome): Parameters<RunWriter["end"]>[0] {
  const judged = success === undefined ? {} : { judged: { success, by: "benchmark" } };
  if (error !== undefined) return { reason: reasonOf(error), status: error, ...judged };
  if (agentState === "error" || agentState === "rejected") return { reason: "unknown", status: agentState, ...judged };
  if (agentState === "stopped") return { reason: "cancelled", status: agentState, ...judged };
  return success === undefined ? undefined : judged;
}

function reasonOf(error: string): Reason {
  if (/maximum iteration/i.test(error)) return "step_limit";
  if (/stuck in (?:a )?loop/i.test(error)) return "aborted_stagnation";
  if (/budget|maximum.*cost/i.test(error)) return "cost_limit";
  if (/ContextWindow|context length/i.test(error)) return "context_overflow";
  return /RateLimit/i.test(error) ? "rate_limit" : /Timeout/i.test(error) ? "timeout" : "unknown";
}

const TOOLS: Readonly<Record<string, string>> = tableOf({
  run: "execute_bash",
  run_ipython: "execute_ipython_cell",
  edit: "str_replace_editor",
  read: "read",
  write: "write",
  browse: "browse",
  browse_interactive: "browser",
  call_tool_mcp: "mcp",
  delegate: "delegate",
  think: "think",
  task_tracking: "task_tracker",
});
const SILENT: ReadonlySet<string> = new Set([
  "system",
  "recall",
  "change_agent_state",
  "null",
  "agent_state_changed",
  "user_rejected",
  "loop_recovery",
  "server_ready",
  "success",
  "condensation_request",
]);

interface EventWriter {
  readonly write: (run: RunWriter, event: LooseObject) => void;
  readonly state: () => Outcome;
  readonly reset: () => void;
}

/** Writes the events of versions before the SDK: actions, and observations that name the action that caused them. */
function createEventWriter(options: TranslationContext): EventWriter {
  return new OldEvents(options);
}

class OldEvents implements EventWriter {
  readonly #skip: (kind: string) => void;
  readonly #unknown: (kind: string) => void;
  #agentState: string | undefined;
  #steps = 0;

  constructor({ skip, unknown }: TranslationContext) {
    this.#skip = skip;
    this.#unknown = unknown;
  }

  readonly write: EventWriter["write"] = (run, event) => {
    if (typeof event["action"] === "string") this.#action(run, event);
    else if (typeof event["observation"] === "string") this.#observation(run, event);
    else this.#unknown(typeof event["type"] === "string" ? event["type"] : "event without an action");
  };

  readonly state: EventWriter["state"] = () => defined({ agentState: this.#agentState });

  readonly reset: EventWriter["reset"] = () => {
    this.#agentState = undefined;
  };

  #action(run: RunWriter, event: LooseObject): void {
    const name = textIn(event["action"]);
    const given = event["args"] === undefined ? event : toObject(event["args"]);
    const at = timeIn(event["timestamp"]);
    const text = textIn(given["content"]) || textIn(event["message"]);
    if (SILENT.has(name)) return this.#skip(`action ${name}`);
    if (name === "message" && event["source"] !== "agent") return run.user(text, defined({ at }));
    if (name === "condensation") return run.record({ type: "context.compacted", ...defined({ at }) });
    const tool = name === "message" || name === "finish" || name === "reject" ? undefined : TOOLS[name];
    if (tool === undefined && name !== "message" && name !== "finish" && name !== "reject")
      return this.#unknown(`action ${name}`);
    const { model_response: response, function_name: called, tool_call_id: id } = toObject(event["tool_call_metadata"]);
    const { message } = toObject(objectsIn(toObject(response)["choices"])[0]);
    this.#steps += 1;
    run.answer({
      id: nameIn(toObject(response)["id"]) ?? String(this.#steps),
      ...defined({
        at,
        model: nameIn(toObject(response)["model"]),
        usage: knownUsage(toObject(response)["usage"], "chat"),
      }),
    });
    run.reasoning(textIn(toObject(message)["reasoning_content"]));
    if (name === "message") return run.text(text);
    const said = contentText(toObject(message)["content"]) || textIn(given["thought"]);
    if (tool === undefined) {
      const last =
        textIn(given["final_thought"]) ||
        textIn(toObject(given["outputs"])["content"]) ||
        textIn(given["message"]) ||
        textIn(given["thought"]);
      run.text(said === "" ? last : said);
      return run.finish(last === "" ? said : last, defined({ at }));
    }
    if (run.isOpen(textIn(id))) return this.#skip("action given twice");
    const asked = objectsIn(toObject(message)["tool_calls"]).find((call) => call["id"] === id);
    const input = asked === undefined ? withoutNotes(given) : readArguments(toObject(asked["function"])["arguments"]);
    run.text(said);
    run.call({ tool: nameIn(called) ?? tool, input, ...defined({ call: nameIn(id) ?? idOf(event["id"]), at }) });
    const todos = todosOf(nameIn(called) ?? tool, input);
    if (todos !== undefined) run.record({ ...todos, ...defined({ at }) });
  }

  #observation(run: RunWriter, event: LooseObject): void {
    const name = textIn(event["observation"]);
    const extras = toObject(event["extras"]);
    const at = timeIn(event["timestamp"]);
    if (name === "agent_state_changed") this.#agentState = nameIn(extras["agent_state"]);
    if (SILENT.has(name)) return this.#skip(`observation ${name}`);
    if (name === "condense") return run.record({ type: "context.compacted", ...defined({ at }) });
    const call = nameIn(toObject(event["tool_call_metadata"])["tool_call_id"]) ?? idOf(event["cause"]);
    const codes = [toObject(extras["metadata"])["exit_code"], extras["exit_code"], event["exit_code"]];
    const exitCode = codes.map(numberIn).find((code) => code !== undefined);
    if (name === "error" && (call === undefined || !run.isOpen(call)))
      return run.record({
        type: "validation.failed",
        path: "",
        expected: textIn(event["content"]),
        ...defined({ at }),
      });
    const content = textIn(event["content"]);
    run.result({
      output: content,
      ...((name === "error" || (name !== "run" && content.startsWith("ERROR:"))) && { outcome: "error" as const }),
      ...defined({ call, at, exitCode, tool: TOOLS[name] }),
    });
  }
}

function idOf(id: unknown): string | undefined {
  return typeof id === "number" ? String(id) : nameIn(id);
}

/** The arguments without what the agent noted beside them. */
function withoutNotes(given: LooseObject): LooseObject {
  const notes = new Set([
    "thought",
    "keep_prompt",
    "is_confirmed",
    "action_risk",
    "confirmation_state",
    "hidden",
    "blocking",
    "is_static",
    "security_risk",
    "action",
    "id",
    "timestamp",
    "source",
    "message",
    "kernel_init_code",
    "cause",
  ]);
  return Object.fromEntries(Object.entries(given).filter(([name]) => !notes.has(name)));
}
