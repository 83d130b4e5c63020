import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One tool call of a recorded run. */
export interface RecordedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly failed: boolean;
  /** Calls of one answer of the model share a turn. */
  readonly turn: number;
}

/** A recorded run, as far as the tracker cares. */
export interface RecordedRun {
  readonly agent: string;
  readonly name: string;
  readonly calls: readonly RecordedCall[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Where the recorded runs are: PHASEKIT_DATA, or beside the repository. */
export function trajectoryFolder(): string | undefined {
  const folder = join(process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../shared/data"), "trajectories");
  return existsSync(folder) ? folder : undefined;
}

const READERS: Readonly<Record<string, (text: string, file: string) => readonly Omit<RecordedRun, "agent">[]>> = {
  "claude-code": (text, name) => [{ name, calls: pair(lines(text).flatMap(claudeParts)) }],
  codex: (text, name) => [{ name, calls: pair(lines(text).flatMap(codexParts)) }],
  "copilot-cli": (text, name) => [{ name, calls: pair(lines(text).flatMap(copilotParts)) }],
  "gemini-cli": (text, name) => [{ name, calls: pair(geminiParts(JSON.parse(text))) }],
  "mini-swe-agent": (text, name) => [{ name, calls: miniCalls(JSON.parse(text)) }],
  opencode: (text, name) => [{ name, calls: pair(opencodeParts(JSON.parse(text) as Fields)) }],
  "openhands-events": (text, name) => openhandsRuns(text, name),
  "openhands-llm-request": (text, name) => [{ name, calls: pair(chatParts(list((JSON.parse(text) as Fields)["messages"]))) }],
  pi: (text, name) => [{ name, calls: pair(lines(text).flatMap(piParts)) }],
  "swe-agent": (text, name) => [{ name, calls: sweCalls(JSON.parse(text) as Fields) }],
  "agents-study": (text, name) => (name.startsWith("openhands") ? [{ name, calls: readStudy(text).calls }] : []),
};

/** Every recorded run of a coding agent that the folder holds. */
export function readRecordedRuns(folder: string): readonly RecordedRun[] {
  return Object.entries(READERS).flatMap(([agent, read]) => {
    const path = join(folder, agent);
    if (!existsSync(path)) return [];
    return readdirSync(path).sort().flatMap((file) => read(readFileSync(join(path, file), "utf8"), file).map((run) => ({ agent, ...run })).filter(({ calls }) => calls.length > 0));
  });
}

/** A run of the agents study with a label for each step. */
export interface LabelledRun {
  readonly name: string;
  readonly calls: readonly RecordedCall[];
  readonly labels: readonly (string | undefined)[];
}

/** The labelled OpenHands runs. */
export function readLabelledRuns(folder: string): readonly LabelledRun[] {
  const path = join(folder, "agents-study");
  if (!existsSync(path)) return [];
  return readdirSync(path).filter((file) => file.startsWith("openhands")).sort().map((file) => ({ name: file, ...readStudy(readFileSync(join(path, file), "utf8")) }));
}

function readStudy(text: string): { readonly calls: readonly RecordedCall[]; readonly labels: readonly (string | undefined)[] } {
  const parts = (JSON.parse(text) as { readonly parts: Readonly<Record<string, { readonly text: string }>> }).parts;
  const results = new Map([...(parts["results_actions"]?.text ?? "").matchAll(/^Result at iteration (\d+): ([\s\S]*?)(?=^Result at iteration \d+: |(?![\s\S]))/gm)].map(([, number, result]) => [Number(number), result ?? ""]));
  const labels = new Map((parts["actions_categories"]?.text ?? "").split("\n").slice(1).filter(Boolean).map((line) => [Number(line.split(",")[0]), line.slice(line.indexOf(",") + 1).trim()]));
  const steps = (parts["thoughts_actions"]?.text ?? "").split("\n---\n").flatMap((step) => {
    const found = /^Iteration (\d+): [\s\S]*?; Action=(\{[\s\S]*\})\s*$/.exec(step.trim());
    const call = found === null ? undefined : pythonCall(found[2] ?? "");
    return call === undefined ? [] : [{ number: Number(found?.[1]), ...call }];
  });
  return {
    calls: steps.map(({ number, tool, input }) => ({ tool, input, output: results.get(number) ?? "", failed: false, turn: number + 1 })),
    labels: steps.map(({ number }) => labels.get(number)),
  };
}

/** A call printed by Python: `{'arguments': '{"command": "ls"}', 'name': 'execute_bash'}`. */
function pythonCall(text: string): { readonly tool: string; readonly input: unknown } | undefined {
  const name = /'name': '([^']*)'\}$/.exec(text)?.[1];
  const from = text.indexOf("'arguments': ");
  const quote = text[from + 13];
  if (name === undefined || quote === undefined) return undefined;
  const printed = text.slice(from + 14, text.lastIndexOf(`${quote}, 'name'`));
  const raw = printed.replace(/\\(\\|'|n|t|r)/g, (_all, mark: string) => (mark === "n" ? "\n" : mark === "t" ? "\t" : mark === "r" ? "\r" : mark));
  return { tool: name, input: raw };
}

type Part =
  | { readonly kind: "turn" }
  | { readonly kind: "call"; readonly id: string; readonly tool: string; readonly input: unknown }
  | { readonly kind: "result"; readonly id: string; readonly output: unknown; readonly failed: boolean };

/** Puts calls and their results together, in the order of the calls. */
function pair(parts: readonly Part[]): readonly RecordedCall[] {
  const results = new Map(parts.flatMap((part) => (part.kind === "result" ? [[part.id, part] as const] : [])));
  let turn = 0;
  return parts.flatMap((part) => {
    if (part.kind === "turn") turn += 1;
    if (part.kind !== "call") return [];
    const result = results.get(part.id);
    return [{ tool: part.tool, input: part.input, output: result?.output ?? "", failed: result?.failed ?? false, turn: Math.max(1, turn) }];
  });
}

function claudeParts(line: Fields): readonly Part[] {
  const message = fields(line["message"]);
  return list(message["content"]).flatMap((item): readonly Part[] => {
    if (item["type"] === "tool_use") return [{ kind: "turn" }, { kind: "call", id: text(item["id"]), tool: text(item["name"]), input: item["input"] }];
    if (item["type"] === "tool_result") return [{ kind: "result", id: text(item["tool_use_id"]), output: item["content"], failed: item["is_error"] === true }];
    return [];
  });
}

function codexParts(line: Fields): readonly Part[] {
  const payload = fields(line["payload"]);
  const id = text(payload["call_id"]);
  switch (payload["type"]) {
    case "function_call":
    case "custom_tool_call":
      return [{ kind: "turn" }, { kind: "call", id, tool: text(payload["name"]), input: payload["arguments"] ?? payload["input"] }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "result", id, output: payload["output"], failed: false }];
    default:
      return [];
  }
}

function copilotParts(line: Fields): readonly Part[] {
  const data = fields(line["data"]);
  const id = text(data["toolCallId"]);
  if (line["type"] === "tool.execution_start") return [{ kind: "turn" }, { kind: "call", id, tool: text(data["toolName"]), input: data["arguments"] }];
  return line["type"] === "tool.execution_complete" ? [{ kind: "result", id, output: fields(data["result"])["content"] ?? data["result"], failed: data["success"] === false }] : [];
}

function geminiParts(log: unknown): readonly Part[] {
  if (!Array.isArray(log)) {
    return list(fields(log)["messages"]).flatMap((message) => [
      { kind: "turn" as const },
      ...list(message["toolCalls"]).flatMap((call): readonly Part[] => [
        { kind: "call", id: text(call["id"]), tool: text(call["name"]), input: call["args"] },
        { kind: "result", id: text(call["id"]), output: call["resultDisplay"] ?? call["result"], failed: call["status"] === "error" },
      ]),
    ]);
  }
  let last = 0;
  return list(log).flatMap((content) =>
    list(content["parts"]).flatMap((part): readonly Part[] => {
      const call = fields(part["functionCall"]);
      const response = fields(part["functionResponse"]);
      if (call["name"] !== undefined) return [{ kind: "turn" }, { kind: "call", id: text(call["id"] ?? String((last += 1))), tool: text(call["name"]), input: call["args"] }];
      return response["name"] === undefined ? [] : [{ kind: "result", id: text(response["id"] ?? String(last)), output: fields(response["response"])["output"] ?? response["response"], failed: false }];
    }),
  );
}

function opencodeParts(log: Fields): readonly Part[] {
  return list(log["messages"]).flatMap((message) => [
    { kind: "turn" as const },
    ...list(message["parts"]).flatMap((part): readonly Part[] => {
      if (part["type"] !== "tool") return [];
      const state = fields(part["state"]);
      const id = text(part["callID"]);
      return [
        { kind: "call", id, tool: text(part["tool"]), input: state["input"] },
        { kind: "result", id, output: { output: state["output"] ?? state["error"] ?? "", metadata: state["metadata"] }, failed: state["status"] === "error" },
      ];
    }),
  ]);
}

function piParts(line: Fields): readonly Part[] {
  const message = fields(line["message"]);
  if (message["role"] === "toolResult") return [{ kind: "result", id: text(message["toolCallId"]), output: message["content"], failed: message["isError"] === true }];
  const calls = list(message["content"]).filter((item) => item["type"] === "toolCall");
  return calls.length === 0 ? [] : [{ kind: "turn" }, ...calls.map((item): Part => ({ kind: "call", id: text(item["id"]), tool: text(item["name"]), input: item["arguments"] }))];
}

function chatParts(messages: readonly Fields[]): readonly Part[] {
  return messages.flatMap((message): readonly Part[] => {
    if (message["role"] === "tool") return [{ kind: "result", id: text(message["tool_call_id"]), output: message["content"], failed: false }];
    const calls = list(message["tool_calls"]);
    return calls.length === 0 ? [] : [{ kind: "turn" }, ...calls.map((call): Part => ({ kind: "call", id: text(call["id"]), tool: text(fields(call["function"])["name"]), input: fields(call["function"])["arguments"] }))];
  });
}

const ACTIONS: Readonly<Record<string, string>> = { run: "execute_bash", run_ipython: "execute_ipython_cell", edit: "str_replace_editor", read: "read", finish: "finish", task_tracking: "task_tracker", browse: "browse", browse_interactive: "browser", call_tool_mcp: "mcp", delegate: "delegate", think: "think", write: "write" };

function openhandsRuns(file: string, name: string): readonly Omit<RecordedRun, "agent">[] {
  const logs = name.endsWith(".jsonl") ? lines(file).map((line) => list(line["history"])) : [list(fields(JSON.parse(file))["trajectory"])];
  return logs.map((events, index) => {
    const flat = events.flatMap((event) => (Array.isArray(event) ? list(event) : [event]));
    const results = new Map(flat.filter((event) => event["observation"] !== undefined).map((event) => [event["cause"], event]));
    let turn = 0;
    const calls = flat.flatMap((event): readonly RecordedCall[] => {
      const tool = ACTIONS[text(event["action"])];
      if (tool === undefined || event["source"] !== "agent") return [];
      turn += 1;
      const result = results.get(event["id"]);
      return [{ tool, input: event["args"], output: result === undefined ? "" : { content: result["content"], extras: fields(result["extras"])["metadata"] ?? result["extras"] }, failed: result?.["observation"] === "error", turn }];
    });
    return { name: logs.length === 1 ? name : `${name}#${String(index + 1)}`, calls };
  });
}

function sweCalls(log: Fields): readonly RecordedCall[] {
  return list(log["trajectory"]).filter((step) => text(step["action"]).trim() !== "").map((step, index) => ({ tool: "bash", input: { command: step["action"] }, output: step["observation"], failed: false, turn: index + 1 }));
}

function miniCalls(log: unknown): readonly RecordedCall[] {
  const messages = list(Array.isArray(log) ? log : fields(log)["messages"]);
  return messages.flatMap((message, index): readonly RecordedCall[] => {
    const command = message["role"] === "assistant" ? /```(?:bash|mswea_bash_command)?\n([\s\S]*?)\n?```/.exec(text(message["content"]))?.[1] : undefined;
    const next = messages[index + 1];
    return command === undefined ? [] : [{ tool: "bash", input: { command }, output: next?.["content"] ?? "", failed: false, turn: index }];
  });
}

function lines(file: string): readonly Fields[] {
  return file.split("\n").flatMap((line) => {
    try {
      return line.trim() === "" ? [] : [fields(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
