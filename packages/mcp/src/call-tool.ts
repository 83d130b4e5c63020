import { type JsonObject, normalizeJson, type PlainTool, type PlainToolResult } from "@phasekit/core";

/** The one run and the one item a server speaks for. */
export interface Binding {
  readonly run?: string;
  readonly item?: string;
}

/** What a call gives over the protocol: the text for the agent, and the same with its data for programs. */
export interface ToolCallResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

/** What every tool of a server answers, as a schema. Tools add members of their own. */
export const resultSchema = {
  type: "object",
  properties: {
    ok: { type: "boolean", description: "Whether it was done." },
    text: { type: "string", description: "What came of it; when it was not done, what to fix." },
  },
  required: ["ok", "text"],
} as const satisfies JsonObject;

export interface CallLimits {
  readonly bound: Binding;
  /** Characters of JSON. */
  readonly maxInputLength: number;
  readonly onError: (error: unknown) => void;
}

const NAMES: Readonly<Record<keyof Binding, readonly string[]>> = { run: ["run", "run_id", "runId"], item: ["item", "item_id", "itemId"] };

/** Makes a call. Whatever is wrong with it is an answer the agent can act on, never an exception. */
export async function callTool(tool: PlainTool, input: unknown, { bound, maxInputLength, onError }: CallLimits): Promise<ToolCallResult> {
  const problem = sizeProblem(input, maxInputLength) ?? foreignName(input, bound);
  if (problem !== undefined) return render({ ok: false, text: problem, data: { outcome: "invalid" } });
  try {
    return render(answerOf(tool, await tool.execute(input)));
  } catch (error) {
    onError(error);
    // What went wrong inside may name files and keys; that is for the host's eyes.
    return render({ ok: false, text: `${tool.name} failed. It is not your input; go on without it, or try once more later.`, data: { outcome: "failed" } });
  }
}

/** An answer that can be sent. Tools written in JavaScript answer with anything; what has no JSON would leave the host without an answer. */
function answerOf({ name }: PlainTool, answer: unknown): PlainToolResult {
  const { ok, text, data } = (typeof answer === "object" && answer !== null ? answer : {}) as Partial<Readonly<Record<keyof PlainToolResult, unknown>>>;
  if (typeof ok !== "boolean" || typeof text !== "string") throw new TypeError(`The tool "${name}" has to answer with { ok, text }.`);
  const { value } = normalizeJson(data ?? {});
  return { ok, text, ...(typeof value === "object" && value !== null && !Array.isArray(value) && { data: value as JsonObject }) };
}

function sizeProblem(input: unknown, max: number): string | undefined {
  const { length } = JSON.stringify(input ?? {});
  return length > max ? `The input has ${String(length)} characters; at most ${String(max)} are taken. Put long texts into the artifact.` : undefined;
}

/** A server speaks for one run and one item; a call that names another is a mistake or worse. */
function foreignName(input: unknown, bound: Binding): string | undefined {
  const members = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  for (const kind of ["run", "item"] as const) {
    const own = bound[kind];
    const named = NAMES[kind].map((key) => members[key]).find((value) => value !== undefined && value !== own);
    if (own !== undefined && named !== undefined) return `This server speaks for ${kind} "${own}" and no other. Leave the ${kind} out.`;
  }
  return undefined;
}

function render({ ok, text, data = {} }: PlainToolResult): ToolCallResult {
  // Some hosts show an agent the text, some the data: both have all of it.
  return { content: [{ type: "text", text }], structuredContent: { ...data, ok, text }, ...(!ok && { isError: true }) };
}
