import type { RunPort } from "@phasekit/core";
import { failureFact, resultFact, shieldRun } from "@phasekit/core/adapter";
import { toolRefused } from "./errors.ts";
import { partIn } from "./model-parts.ts";

type Execute = (input: unknown, options: unknown) => unknown;

const guards = new WeakMap<object, RunPort>();

/**
 * The tools with a guard around each: a call the run refuses is not made, and every result is recorded as the tool gave
 * it. Guarding them again for the same run changes nothing. The wrapper is no async function on purpose: the SDK looks at what `execute` returns to tell generators apart.
 */
export function guardTools<TTools extends object>(run: RunPort, tools: TTools, clock: () => number): TTools {
  const guarded = Object.entries(tools).map(([tool, definition]: [string, unknown]) => {
    const { execute } = partIn(definition);
    if (typeof execute !== "function" || guards.get(execute) === run) return [tool, definition] as const;
    const guard: Execute = (input, options) => {
      // Code of the caller's own may use a tool without a call of the model.
      const { toolCallId } = partIn(options);
      const answer = shieldRun(run).beforeTool({ ...(typeof toolCallId === "string" && { call: toolCallId }), tool, input });
      if (!answer.allow) throw toolRefused(answer.text);
      return watch(run, () => (execute as Execute).call(definition, input, options), { subject: { call: answer.call, tool }, clock });
    };
    guards.set(guard, run);
    return [tool, { ...partIn(definition), execute: guard }] as const;
  });
  return Object.fromEntries(guarded) as TTools;
}

interface Watching {
  readonly subject: { readonly call: string; readonly tool: string };
  readonly clock: () => number;
}

/** Records what a tool gives, in the form it gives it: a value, a promise, or a generator whose last value counts. */
function watch(run: RunPort, execute: () => unknown, { subject, clock }: Watching): unknown {
  const { attempt, record } = shieldRun(run);
  const started = clock();
  const succeed = (output: unknown): unknown => {
    attempt("tool.finished", () => record(resultFact(subject, output, clock() - started)), false);
    return output;
  };
  const fail = (error: unknown): never => {
    attempt("tool.finished", () => record(failureFact(subject, error, clock() - started)), false);
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

async function* watchValues(values: AsyncIterable<unknown>, { succeed, fail }: { readonly succeed: (output: unknown) => unknown; readonly fail: (error: unknown) => never }): AsyncGenerator {
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
  return typeof partIn(value)[Symbol.asyncIterator as unknown as string] === "function";
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof partIn(value)["then"] === "function";
}
