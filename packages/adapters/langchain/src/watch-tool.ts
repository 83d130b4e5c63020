import { delegate, type Delegation, type HostConfig } from "./invocation.ts";

interface CallableTool {
  readonly invoke: (input: unknown, config?: HostConfig) => Promise<unknown>;
  /** Missing in tools made of runnables. */
  readonly _call?: (...parameters: readonly unknown[]) => unknown;
}

/** What is told about one call of a tool, and to whom. */
export interface ToolWatching {
  readonly delegation: Delegation;
  /** Told what the tool itself returned, before it becomes a message. */
  readonly sawOutput: (output: unknown) => void;
  /** Told what the tool itself threw: further out it cannot be told from what a middleware throws. */
  readonly sawError: (error: unknown) => void;
}

/**
 * The same tool for one call, telling what it returns: an object is still an object here, and a message later. The
 * tool itself is left as it is, and its own method is called on it: tools keep private members.
 */
export function watchTool<TTool extends object>(tool: TTool, { delegation, sawOutput, sawError }: ToolWatching): TTool {
  const { _call: call, invoke } = tool as Partial<CallableTool>;
  if (typeof invoke !== "function") return tool;
  const watched = Object.create(tool, {
    invoke: {
      value: async (input: unknown, config: HostConfig = {}): Promise<unknown> => {
        try {
          return await (Reflect.apply(invoke, call === undefined ? tool : watched, [input, delegate(config, delegation)]));
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

/** What a generator returns at its end is its result; what it yields before is progress. */
async function* watchValues(values: AsyncGenerator, sawOutput: (output: unknown) => void): AsyncGenerator {
  const output: unknown = yield* values;
  sawOutput(output);
  return output;
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value && "next" in value;
}
