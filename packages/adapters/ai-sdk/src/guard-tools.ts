import type { RunPort } from "@phasekit/core";
import { failureToEvent, resultToEvent, shieldRun, toObject } from "@phasekit/core/adapter";
import { toolRefused } from "./errors.ts";

type Execute = (input: unknown, options: unknown) => unknown;

const guards = new WeakMap<object, RunPort>();

/**
 * Wraps every tool: a call the run refuses is not made, and every result is recorded. Wrapping tools twice for one run
 * has no effect. The wrapper is not an async function: the SDK inspects what `execute` returns to find generators.
 */
export function guardTools<TTools extends object>(run: RunPort, tools: TTools, clock: () => number): TTools {
  const guarded = Object.entries(tools).map(([tool, definition]: [string, unknown]) => {
    const { execute } = toObject(definition);
    if (typeof execute !== "function" || guards.get(execute) === run) return [tool, definition] as const;
    const guard: Execute = (input, options) => {
      // The caller's own code may use a tool without a tool call.
      const { toolCallId } = toObject(options);
      const answer = shieldRun(run).beforeTool({
        ...(typeof toolCallId === "string" && { call: toolCallId }),
        tool,
        input,
      });
      if (!answer.allow) throw toolRefused(answer.text);
      return watch(run, () => (execute as Execute).call(definition, input, options), {
        subject: { call: answer.call, tool },
        clock,
      });
    };
    guards.set(guard, run);
    return [tool, { ...toObject(definition), execute: guard }] as const;
  });
  return Object.fromEntries(guarded) as TTools;
}

interface CallRecord {
  readonly subject: { readonly call: string; readonly tool: string };
  readonly clock: () => number;
}

/** Records the result of a tool: a value, a promise, or the last value of a generator. */
function watch(run: RunPort, execute: () => unknown, { subject, clock }: CallRecord): unknown {
  const { attempt, record } = shieldRun(run);
  const started = clock();
  const succeed = (output: unknown): unknown => {
    attempt("tool.finished", () => record(resultToEvent(subject, output, clock() - started)), false);
    return output;
  };
  const fail = (error: unknown): never => {
    attempt("tool.finished", () => record(failureToEvent(subject, error, clock() - started)), false);
    throw error;
  };
  let output: unknown;
  try {
    output = execute();
  } catch (error) {
    fail(error);
  }
  if (isIterable(output)) return watchValues(output, { succeed, fail });
  return isPromise(output) ? output.then(succeed, fail) : succeed(output);
}

async function* watchValues(
  values: AsyncIterable<unknown>,
  { succeed, fail }: { readonly succeed: (output: unknown) => unknown; readonly fail: (error: unknown) => never },
): AsyncGenerator {
  let last: unknown;
  try {
    for await (const value of values) {
      last = value;
      yield value;
    }
  } catch (error) {
    fail(error);
  }
  succeed(last);
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof toObject(value)[Symbol.asyncIterator as unknown as string] === "function";
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof toObject(value)["then"] === "function";
}
