import { defined, isObject, nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { contentText, objectsIn, readResult } from "../parse/loose-json.ts";
import type { RunOpener } from "../write/run-opener.ts";
import type { RunWriter } from "../write/run-writer.ts";
import type { TranscriptEnding } from "../transcript.ts";
import type { Span } from "./span.ts";

/**
 * Writes the spans of one trace as a run: model calls are its answers, tool spans its calls, in the order of time. An
 * agent inside another one is a child run.
 */
export function writeTrace(runs: RunOpener, spans: readonly Span[]): void {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const roles = rolesOf(spans, byId);
  const ordered = [...spans].sort((one, other) => (one.startedAt ?? 0) - (other.startedAt ?? 0));
  const first =
    ordered.find((span) => roles.get(span.id) === "agent") ??
    ordered.find((span) => span.parent === undefined || !byId.has(span.parent)) ??
    ordered[0];
  if (first === undefined) return;
  const task =
    taskOf(first.input) ??
    ordered.map(({ input, kind }) => (kind === "model" ? taskOf(input) : undefined)).find((text) => text !== undefined);
  const run = runs.open({
    id: first.trace,
    ...defined({ startedAt: first.startedAt, agent: roles.get(first.id) === "agent" ? first.name : undefined }),
    ...(task !== undefined && { task: { text: task } }),
  });
  const writers = new Map<string, RunWriter>([[first.id, run]]);

  /** The run of the nearest agent around a span. */
  function writerFor(span: Span): RunWriter {
    for (let at = ancestor(span, byId), hops = 0; at !== undefined && hops < 1000; at = ancestor(at, byId), hops += 1) {
      const writer = writers.get(at.id);
      if (writer !== undefined) return writer;
    }
    return run;
  }

  for (const span of ordered) {
    const role = roles.get(span.id);
    if (role === "agent" && span !== first) writers.set(span.id, openChild(writerFor(span), span));
    else if (role === "model") writeAnswer(writerFor(span), span);
    else if (role === "tool" || isAskedFor(writerFor(span), span)) writeTool(writerFor(span), span);
  }
  for (const [id, writer] of [...writers].reverse()) {
    const span = byId.get(id);
    if (writer !== run)
      writer.end({
        ...endOf(span),
        ...defined({ at: span?.endedAt }),
      });
  }
  run.end(endOf(first));
}

/** How an agent ended: its span says why, or that there was an error. */
function endOf({ reason, error }: Partial<Span> = {}): TranscriptEnding {
  return {
    ...(error !== undefined && { reason: "unknown", status: error }),
    ...defined({ reason }),
  };
}

/** Around a model call there may be another span of the same call: only the innermost is one. */
function rolesOf(spans: readonly Span[], byId: ReadonlyMap<string, Span>): ReadonlyMap<string, Span["kind"]> {
  const roles = new Map(spans.map((span) => [span.id, span.kind]));
  for (const span of spans) {
    if (span.kind !== "model") continue;
    for (let at = ancestor(span, byId), hops = 0; at !== undefined && hops < 1000; at = ancestor(at, byId), hops += 1) {
      if (at.kind === "model") roles.set(at.id, "other");
    }
  }
  return roles;
}

function ancestor({ parent }: Span, byId: ReadonlyMap<string, Span>): Span | undefined {
  return parent === undefined ? undefined : byId.get(parent);
}

function openChild(parent: RunWriter, { name, startedAt, input, id }: Span): RunWriter {
  const task = taskOf(input);
  return parent.child({
    id: `${parent.id}/${id}`,
    agent: name,
    ...defined({ startedAt }),
    ...(task !== undefined && { task: { text: task } }),
  });
}

function writeAnswer(
  run: RunWriter,
  { id, endedAt, startedAt, model, usage, finishReason, text, calls = [], error }: Span,
): void {
  if (error !== undefined && (text ?? "") === "" && calls.length === 0)
    return run.record({ type: "model.failed", message: error, ...defined({ at: endedAt, model }) });
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
  run.answer({
    id,
    ...(text === undefined && { isTextUnknown: true }),
    ...defined({ at: endedAt, model, usage, finishReason, durationMs }),
  });
  run.text(text ?? "");
  for (const call of calls)
    run.call({
      call: call.id ?? `${id}:${call.tool}`,
      tool: call.tool,
      input: call.input,
      ...defined({ at: endedAt }),
    });
}

/** Some tracers have no kind for tools: a span named like a call that waits for its result is that call. */
function isAskedFor(run: RunWriter, { kind, name }: Span): boolean {
  return kind === "other" && run.openCall(name) !== undefined;
}

function writeTool(
  run: RunWriter,
  { id, name, tool = name, call, input, output, error, startedAt, endedAt }: Span,
): void {
  const asked = call !== undefined && run.isOpen(call) ? call : run.openCall(tool);
  if (asked === undefined) run.call({ call: call ?? id, tool, input, ...defined({ at: startedAt }) });
  const durationMs = startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
  const value = resultOf(output);
  const { exitCode } = toObject(value);
  run.result({
    call: asked ?? call ?? id,
    output: error !== undefined && value === undefined ? error : value,
    outcome: error === undefined ? "ok" : "error",
    ...defined({ at: endedAt, durationMs }),
    ...(typeof exitCode === "number" && { exitCode }),
  });
}

/** The result of a tool, taken out of the message some tracers put it in. */
function resultOf(output: unknown): unknown {
  const object = toObject(output);
  if (isObject(object["kwargs"]) && object["lc"] !== undefined) return readResult(object["kwargs"]["content"]);
  return Array.isArray(object["content"]) && objectsIn(object["content"]).every(({ type }) => type === "text")
    ? contentText(object["content"])
    : output;
}

/** The task of an agent, from any shape of its input. */
function taskOf(input: unknown): string | undefined {
  if (typeof input === "string") return nameIn(input);
  if (Array.isArray(input)) return messageTask(input);
  const { task, prompt, question, query, input: inner, messages, content } = toObject(input);
  const text = [task, prompt, question, query, inner].find((value) => typeof value === "string" && value !== "");
  return (
    nameIn(text) ??
    (Array.isArray(messages) ? messageTask(messages.flat()) : undefined) ??
    nameIn(textIn(content) === "role" ? undefined : content)
  );
}

function messageTask(messages: readonly unknown[]): string | undefined {
  const user = objectsIn(messages).find(
    ({ role, type, id }) =>
      role === "user" || role === "human" || type === "human" || (Array.isArray(id) && id.at(-1) === "HumanMessage"),
  );
  return user === undefined ? undefined : nameIn(contentText(user["content"] ?? toObject(user["kwargs"])["content"]));
}
