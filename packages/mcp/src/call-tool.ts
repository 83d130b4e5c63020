import type { JsonObject, PlainTool, PlainToolResult } from "@phasekit/core";
import { isObject, normalizeJson, toObject } from "@phasekit/core/adapter";

/** The one run and the one item a server serves. */
export interface ServerScope {
  readonly run?: string;
  readonly item?: string;
}

/** Result of a call over the protocol: a text for the agent, and the text with its data for programs. */
export interface ToolCallResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: true;
}

/** Schema of every tool's answer. Tools add members of their own. */
export const resultSchema = {
  type: "object",
  properties: {
    ok: { type: "boolean", description: "True if the tool did what was asked." },
    text: { type: "string", description: "The result, or what to fix if ok is false." },
  },
  required: ["ok", "text"],
} as const satisfies JsonObject;

export interface CallLimits {
  readonly bound: ServerScope;
  /** Characters of JSON. */
  readonly maxInputLength: number;
  readonly onError: (error: unknown) => void;
}

const NAMES: Readonly<Record<keyof ServerScope, readonly string[]>> = {
  run: ["run", "run_id", "runId"],
  item: ["item", "item_id", "itemId"],
};

/** Makes a call. Every problem is an answer the agent can act on, never an exception. */
export async function callTool(
  tool: PlainTool,
  input: unknown,
  { bound, maxInputLength, onError }: CallLimits,
): Promise<ToolCallResult> {
  const problem = sizeProblem(input, maxInputLength) ?? foreignName(input, bound);
  if (problem !== undefined) return render({ ok: false, text: problem, data: { outcome: "invalid" } });
  try {
    return render(answerOf(tool, await tool.execute(input)));
  } catch (error) {
    onError(error);
    // The error may name files and keys, so only the host gets it.
    return render({
      ok: false,
      text: `${tool.name} failed. Your input is not the cause. Continue without it, or retry once later.`,
      data: { outcome: "failed" },
    });
  }
}

/** Checks and normalizes a tool's answer. A JavaScript tool may return anything, and only JSON can be sent. */
function answerOf({ name }: PlainTool, answer: unknown): PlainToolResult {
  const { ok, text, data } = toObject(answer);
  if (typeof ok !== "boolean" || typeof text !== "string")
    throw new TypeError(`The tool "${name}" must return { ok: boolean, text: string }.`);
  const { value } = normalizeJson(data ?? {});
  return {
    ok,
    text,
    ...(isObject(value) && { data: value }),
  };
}

function sizeProblem(input: unknown, max: number): string | undefined {
  const { length } = JSON.stringify(input ?? {});
  return length > max
    ? `The input has ${String(length)} characters; the limit is ${String(max)}. Put long texts into the artifact.`
    : undefined;
}

/** The problem with a call that names a run or an item the server does not serve. */
function foreignName(input: unknown, bound: ServerScope): string | undefined {
  const members = toObject(input);
  for (const kind of ["run", "item"] as const) {
    const own = bound[kind];
    const named = NAMES[kind].map((key) => members[key]).find((value) => value !== undefined && value !== own);
    if (own !== undefined && named !== undefined)
      return `This server serves only ${kind} "${own}". Leave the ${kind} out.`;
  }
  return undefined;
}

function render({ ok, text, data = {} }: PlainToolResult): ToolCallResult {
  // Some hosts show the agent the text, others the data, so both are complete.
  return { content: [{ type: "text", text }], structuredContent: { ...data, ok, text }, ...(!ok && { isError: true }) };
}
