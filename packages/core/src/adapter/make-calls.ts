import { toObject } from "../text/loose-object.ts";
import { ownValue } from "../text/own-value.ts";
import type { PlainTool } from "../run/plain-tool.ts";
import type { RunPort } from "../run/run.ts";
import { systemClock } from "../run/system-clock.ts";
import type { AnsweredCall } from "./record-answer.ts";
import { failureToEvent, resultToEvent } from "./result-to-event.ts";
import { shieldRun } from "./shield-run.ts";

/** Tool functions by tool name. The model gets a thrown error as the result of the call. */
export type ToolHandlers = Readonly<Record<string, (input: never, context: { readonly call: string }) => unknown>>;

/** Options for `executeTools()`. */
export interface ExecuteOptions {
  /** @default none */
  readonly handlers?: ToolHandlers;
  /** Plain tools, such as `phaseStatusTool(run)`. A result that is not ok becomes an error. @default none */
  readonly tools?: readonly PlainTool[];
  /** Approves a call with `true`, or denies it with a reason. A denial is recorded with the outcome "denied". */
  readonly approve?: (call: {
    readonly call: string;
    readonly tool: string;
    readonly input: unknown;
  }) => true | string | Promise<true | string>;
  /** @default the system clock */
  readonly clock?: () => number;
}

/** The result of a call, for the model. */
export interface CallResult {
  readonly text: string;
  /** True if the call failed, was denied, or was refused by the run. */
  readonly failed: boolean;
}

/**
 * Makes the calls of one answer in parallel, records their results and returns them in order. If the run refuses a
 * call, it is not made and its result is the refusal.
 */
export function makeCalls(
  run: RunPort,
  calls: readonly AnsweredCall[],
  { handlers = {}, tools = [], ...options }: ExecuteOptions,
): Promise<readonly CallResult[]> {
  const { beforeTool } = shieldRun(run);
  const all: ToolHandlers = { ...plainToolHandlers(tools), ...handlers };
  // Request permission for all calls up front: each is judged by the state of the run at the time of the answer.
  const asked = calls.map((call) => ({ call, answer: beforeTool(call) }));
  return Promise.all(
    asked.map(({ call, answer }) =>
      answer.allow
        ? makeCall(run, call, { ...options, handlers: all })
        : Promise.resolve({ text: answer.text, failed: true }),
    ),
  );
}

async function makeCall(
  run: RunPort,
  { call, tool, input, problem }: AnsweredCall,
  { handlers, approve, clock = systemClock }: ExecuteOptions & { readonly handlers: ToolHandlers },
): Promise<CallResult> {
  const { record, attempt } = shieldRun(run);
  const subject = { call, tool };
  const deny = (output: string): boolean => record({ type: "tool.finished", ...subject, outcome: "denied", output });
  try {
    const approved = approve === undefined ? true : await approve({ call, tool, input });
    if (approved !== true) {
      deny(approved);
      return { text: approved, failed: true };
    }
  } catch (error) {
    // Without an approval the call is denied. The caller gets the error.
    deny(messageIn(error));
    throw error;
  }
  const started = clock();
  try {
    const handler = ownValue(handlers, tool);
    if (handler === undefined)
      throw new Error(`Unknown tool "${tool}". Use one of: ${Object.keys(handlers).join(", ")}.`);
    if (problem !== undefined) throw new Error(`The arguments are not valid JSON: ${problem}`);
    const output = await handler(input as never, { call });
    if (output instanceof Error) throw output;
    // Serialize before recording: a result that cannot be serialized is an error.
    const text = serialize(output);
    attempt("resultToEvent", () => record(resultToEvent(subject, output, clock() - started)), false);
    return { text, failed: false };
  } catch (error) {
    attempt("failureToEvent", () => record(failureToEvent(subject, error, clock() - started)), false);
    return { text: `Error: ${messageIn(error)}`, failed: true };
  }
}

function plainToolHandlers(tools: readonly PlainTool[]): ToolHandlers {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      async (input: unknown): Promise<string> => {
        const { ok, text } = await tool.execute(input);
        if (!ok) throw new Error(text);
        return text;
      },
    ]),
  );
}

function messageIn(error: unknown): string {
  const { message } = toObject(error);
  return typeof message === "string" ? message : String(error);
}

function serialize(output: unknown): string {
  if (typeof output === "string") return output;
  // The types do not say it, but `stringify` returns `undefined` for a function.
  const text: unknown = JSON.stringify(output);
  return typeof text === "string" ? text : "";
}
