/** One item of an agent's own list. */
export interface TodoItem {
  readonly id?: string;
  readonly text?: string;
  readonly status: string;
}

/** What is known when an agent says that its part is done. */
export interface CompletionCheck {
  readonly todos: readonly TodoItem[];
  /** Pieces of work of others that the agent waits for. @default 0 */
  readonly pendingExternal?: number;
  /** What the person asked for. */
  readonly request?: string;
}

/** Whether an agent is sent back to its list, and with which words. */
export type CompletionVerdict =
  | { readonly reengage: false; readonly open: readonly string[] }
  | { readonly reengage: true; readonly open: readonly string[]; readonly text: string };

const FINISHED = new Set(["done", "completed", "complete", "finished", "closed", "skipped", "cancelled", "canceled"]);

/** Whether an item is settled; a skipped one is. */
export function isSettled({ status }: TodoItem): boolean {
  return FINISHED.has(status.trim().toLowerCase());
}

/**
 * Sends an agent back that says it is done while its own list has open items. Waiting for somebody else's work, or
 * having been asked for the list alone, is no reason to be sent back.
 */
export function checkCompletion({ todos, pendingExternal = 0, request = "" }: CompletionCheck): CompletionVerdict {
  const open = todos.filter((todo) => !isSettled(todo)).map(labelOf);
  if (open.length === 0 || pendingExternal > 0 || asksForListOnly(request)) return { reengage: false, open };
  const list = open.map((label) => `- ${label}`).join("\n");
  return { reengage: true, open, text: `Your own list has open items:\n${list}\nFinish them, or mark as skipped what is not needed, and say why.` };
}

function labelOf({ id, text }: TodoItem, index: number): string {
  if (id !== undefined && text !== undefined) return `${id}: ${text}`;
  return id ?? text ?? `item ${index + 1}`;
}

const LIST = String.raw`(?:to-?do(?:s|\s+list)?|lists?|plans?|tasks?|steps|outline)`;
const ONLY_LIST = [
  // "make a todo list and stop", "write the plan, then wait"
  new RegExp(String.raw`\b(?:make|write|create|draft|give|produce|prepare)\b[^.!?\n]*\b${LIST}\b[^.!?\n]*\b(?:and|then)\s+(?:then\s+)?(?:stop|wait|pause)\b`, "i"),
  // "only make a list", "just write the plan"
  new RegExp(String.raw`\b(?:only|just)\s+(?:make|write|create|draft|give|list|plan|produce|prepare)\b[^.!?\n]*\b${LIST}\b`, "i"),
  // "do not start on it yet", "don't execute anything"
  /\b(?:do\s+not|don[’']t)\s+(?:start|begin|execute|implement|carry\s+(?:it|them|anything)\s+out|do\s+(?:it|them|anything|any\s+of\s+it))\b/i,
];

/** Whether a request wants a list of the work and not the work; matches whole words, so "prefixed" is no "fixed". */
export function asksForListOnly(request: string): boolean {
  return ONLY_LIST.some((pattern) => pattern.test(request));
}
