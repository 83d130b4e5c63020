import { delegate, type Delegation, type HostConfig } from "./invocation.ts";

interface CallableTool {
  readonly invoke: (input: unknown, config?: HostConfig) => Promise<unknown>;
  /** Missing in tools made of runnables. */
  readonly _call?: (...parameters: readonly unknown[]) => unknown;
}

/** Callbacks for one call of a tool. */
export interface ToolWatch {
  readonly delegation: Delegation;
  /** Gets the raw output of the tool, before it becomes a message. */
  readonly sawOutput: (output: unknown) => void;
  /** Gets the error of the tool itself: further out it looks like an error of a middleware. */
  readonly sawError: (error: unknown) => void;
}

/**
 * Wraps a tool for one call to see its raw output, before it becomes a message. The tool does not change, and its
 * methods run on the tool itself: tools may have private members.
 */
export function watchTool<TTool extends object>(tool: TTool, { delegation, sawOutput, sawError }: ToolWatch): TTool {
  const { _call: call, invoke } = tool as Partial<CallableTool>;
  if (typeof invoke !== "function") return tool;
  const watched = Object.create(tool, {
    invoke: {
      value: async (input: unknown, config: HostConfig = {}): Promise<unknown> => {
        try {
          return await Reflect.apply(invoke, call === undefined ? tool : watched, [
            input,
            delegate(config, delegation),
          ]);
        } catch (error) {
          sawError(error);
          throw error;
        }
      },
    },
    ...(call !== undefined && {
      _call: {
        value: async (...parameters: readonly unknown[]): Promise<unknown> => {
          const output: unknown = await Reflect.apply(call, tool, parameters);
          if (isGenerator(output)) return watchValues(output, sawOutput);
          sawOutput(output);
          return output;
        },
      },
    }),
  }) as TTool;
  return watched;
}

/** The result of a generator is its return value; yielded values are progress. */
async function* watchValues(values: AsyncGenerator, sawOutput: (output: unknown) => void): AsyncGenerator {
  const output: unknown = yield* values;
  sawOutput(output);
  return output;
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}
