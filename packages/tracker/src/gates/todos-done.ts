import type { Policy } from "@phasekit/core";
import { workGate } from "./work-gate.ts";

/** Options for `todosDone()`. All optional. */
export interface TodosDoneOptions {
  /** @default "todos-done" */
  readonly gate?: string;
  readonly text?: (facts: { readonly open: number }) => string;
}

/**
 * A gate: the agent's own list of todos has no open item left. It says nothing about a run without a list.
 *
 * @example
 * policies: [phaseTracker(), todosDone()]
 */
export function todosDone({ gate = "todos-done", text = defaultText }: TodosDoneOptions = {}): Policy {
  return workGate(gate, {
    version: "2",
    check: ({ openTodos: open }) => {
      if (open === undefined) return undefined;
      if (open === 0) return { verdict: "met", why: "Every item on the agent's list is done." };
      return { verdict: "veto", why: `${openText(open)} still open.`, text: text({ open }), evidence: { open } };
    },
  });
}

function openText(open: number): string {
  return open === 1 ? "One item on the agent's list is" : `${String(open)} items on the agent's list are`;
}

function defaultText({ open }: { readonly open: number }): string {
  return open === 1
    ? "One item on your list is still open. Finish it, or remove it if it is not needed, and say why."
    : `${String(open)} items on your list are still open. Finish them, or remove those that are not needed, and say why.`;
}
