import { definePolicy, type Policy, stop } from "@phasekit/core";
import { setBounded } from "./bounded.ts";

/** Options of `validationRetries`. */
export interface ValidationRetriesOptions {
  /** Arguments of one tool in a row that do not validate. @default 3 */
  readonly max?: number;
}

interface ValidationRetriesState {
  readonly failed: Map<string, number>;
  tool: string;
  path: string;
}

const MAX_TOOLS = 32;

/** Ends a run as `validation_giveup` when the model cannot produce arguments that validate. A limit, not a grade. */
export function validationRetries({ max = 3 }: ValidationRetriesOptions = {}): Policy<ValidationRetriesState> {
  return definePolicy<ValidationRetriesState>({
    name: "validation-retries",
    version: "1",
    initial: () => ({ failed: new Map(), tool: "", path: "" }),
    observe: {
      "validation.failed": (state, { tool = "", path, attempt }) => {
        // Several wrong fields of one attempt are one failure.
        const count = attempt ?? (state.failed.get(tool) ?? 0) + 1;
        setBounded(state.failed, [tool, count], MAX_TOOLS);
        state.tool = tool;
        state.path = path;
      },
      "tool.finished": ({ failed }, { tool, outcome }) => {
        if (outcome === "ok") {
          failed.delete(tool);
          failed.delete("");
        }
      },
    },
    decide: {
      "validation.failed": (_run, { failed, tool, path }) => {
        const count = failed.get(tool) ?? 0;
        return count >= max ? stop({ reason: "validation_giveup", text: `${String(count)} attempts${tool === "" ? "" : ` at \`${tool}\``} did not validate, the last at ${path}.` }) : undefined;
      },
    },
  });
}
