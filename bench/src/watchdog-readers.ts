import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedRun } from "./tracker-trajectories.ts";

type Fields = Readonly<Record<string, unknown>>;
type Call = RecordedRun["calls"][number];

/** Recorded runs in formats the tracker's readers leave out: calls written in XML, shell games, airline clerks. */
export function readMoreRuns(folder: string): readonly RecordedRun[] {
  const read = (agent: string, toRuns: (text: string, file: string) => readonly Omit<RecordedRun, "agent">[]): readonly RecordedRun[] => {
    const path = join(folder, agent);
    if (!existsSync(path)) return [];
    return readdirSync(path).sort().flatMap((file) => toRuns(readFileSync(join(path, file), "utf8"), file).map((run) => ({ agent, ...run })));
  };
  return [
    ...read("openhands-llm-request", (text, name) => [{ name, calls: xmlCalls(list((JSON.parse(text) as Fields)["messages"])) }]),
    ...read("intercode", (text, name) => Object.entries(JSON.parse(text) as Fields).map(([id, run]) => ({ name: `${name}#${id}`, calls: gameCalls(run as Fields) }))),
    ...read("tau-bench", (text, name) => (JSON.parse(text) as readonly Fields[]).map((run, index) => ({ name: `${name}#${String(index)}`, calls: chatCalls(list(run["traj"])) }))),
  ].filter(({ calls }) => calls.length > 0);
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly Fields[]) : [];
}

function contentOf({ content }: Fields): string {
  if (typeof content === "string") return content;
  return list(content).map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

/** `<function=name><parameter=key>value</parameter></function>` in the answer, the result in the next message. */
function xmlCalls(messages: readonly Fields[]): readonly Call[] {
  const calls: Call[] = [];
  // The first messages hold an example of how to call tools.
  for (const [index, message] of messages.entries()) {
    if (message["role"] !== "assistant" || index < 2) continue;
    const found = /<function=([\w-]+)>([\s\S]*?)<\/function>/.exec(contentOf(message));
    const next = messages[index + 1];
    const result = next === undefined ? "" : contentOf(next);
    if (found === null || !result.startsWith("EXECUTION RESULT")) continue;
    const input: Fields = Object.fromEntries([...(found[2] ?? "").matchAll(/<parameter=(\w+)>([\s\S]*?)<\/parameter>/g)].map(([, key = "", value]) => [key, value] as const));
    const output = result.slice(result.indexOf("\n") + 1);
    calls.push({ tool: found[1] ?? "", input, output, failed: output.startsWith("ERROR:"), turn: calls.length + 1 });
  }
  return calls;
}

function gameCalls({ turn_history: history }: Fields): readonly Call[] {
  const { actions, observations } = (history ?? {}) as Fields;
  const results = Array.isArray(observations) ? (observations as readonly unknown[]) : [];
  return (Array.isArray(actions) ? (actions as readonly unknown[]) : []).map((action, index) => ({ tool: "bash", input: { command: String(action) }, output: results[index] ?? "", failed: /^(?:Error|.*command not found)/.test(JSON.stringify(results[index] ?? "").slice(1, 80)), turn: index + 1 }));
}

function chatCalls(messages: readonly Fields[]): readonly Call[] {
  const results = new Map(messages.filter(({ role }) => role === "tool").map((message) => [message["tool_call_id"], contentOf(message)]));
  return messages.flatMap((message, turn) =>
    list(message["tool_calls"]).map(({ id, function: called }) => {
      const { name, arguments: input } = called as { readonly name: string; readonly arguments: unknown };
      const output = results.get(id) ?? "";
      return { tool: name, input, output, failed: output.startsWith("Error"), turn };
    }),
  );
}
