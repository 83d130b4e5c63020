import { definePolicy, type Policy, veto, vouch } from "@phasekit/core";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";

export interface OpenTodosOptions {
  /** @default "open-todos" */
  readonly gate?: string;
  readonly text?: (facts: { readonly open: number }) => string;
}

/**
 * A gate: the agent's own list of todos has no open item left. A run without a list is not its business.
 *
 * @example
 * policies: [phaseTracker(), openTodos()]
 */
export function openTodos({ gate = "open-todos", text = defaultText }: OpenTodosOptions = {}): Policy<OwnWork> {
  return definePolicy({
    name: gate,
    version: "1",
    ...ownWork(),
    decide: {
      "finish.requested": (run, state) => {
        const { openTodos: open } = workOf(run, state);
        if (open === undefined) return undefined;
        return open === 0 ? vouch({ gate, verdict: "pass" }) : veto(text({ open }), { gate, evidence: { open } });
      },
    },
  });
}

function defaultText({ open }: { readonly open: number }): string {
  return `${open === 1 ? "One item" : `${String(open)} items`} on your list ${open === 1 ? "is" : "are"} still open. Finish ${open === 1 ? "it" : "them"}, or take off the list what is not needed, and say why.`;
}
