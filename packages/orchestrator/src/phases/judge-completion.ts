/** One item of an agent's todo list. */
export interface TodoItem {
  readonly id?: string;
  readonly text?: string;
  readonly status: string;
}

/** Input of `judgeCompletion()`. */
export interface CompletionInput {
  readonly todos: readonly TodoItem[];
  /** Number of external results the agent waits for. @default 0 */
  readonly pendingExternal?: number;
  /** The user's request. */
  readonly request?: string;
}

/** Decision to send an agent back to its list, with the text it reads. */
export type CompletionVerdict =
  | { readonly reengage: false; readonly open: readonly string[] }
  | { readonly reengage: true; readonly open: readonly string[]; readonly text: string };

const FINISHED = new Set(["done", "completed", "complete", "finished", "closed", "skipped", "cancelled", "canceled"]);

/** True if an item is done or skipped. */
export function isSettled({ status }: TodoItem): boolean {
  return FINISHED.has(status.trim().toLowerCase());
}

/**
 * Sends an agent back that says it is done while its own list has open items. An agent that waits for external results,
 * or that was asked only for a list, is not sent back.
 */
export function judgeCompletion({ todos, pendingExternal = 0, request = "" }: CompletionInput): CompletionVerdict {
  const open = todos.filter((todo) => !isSettled(todo)).map(labelOf);
  if (open.length === 0 || pendingExternal > 0 || asksForListOnly(request)) return { reengage: false, open };
  const list = open.map((label) => `- ${label}`).join("\n");
  return {
    reengage: true,
    open,
    text: `Your own list has open items:\n${list}\nFinish them, or mark items you do not need as skipped and say why.`,
  };
}

function labelOf({ id, text }: TodoItem, index: number): string {
  if (id !== undefined && text !== undefined) return `${id}: ${text}`;
  return id ?? text ?? `item ${index + 1}`;
}

const LIST = String.raw`(?:to-?do(?:s|\s+list)?|lists?|plans?|tasks?|steps|outline)`;
const MAKE = "make|write|create|draft|give|produce|prepare";
const START = String.raw`start|begin|execute|implement|carry\s+(?:it|them|anything)\s+out`;
const ONLY_LIST = [
  // "make a todo list and stop", "write the plan, then wait"
  new RegExp(
    String.raw`\b(?:${MAKE})\b[^.!?\n]*\b${LIST}\b[^.!?\n]*\b(?:and|then)\s+(?:then\s+)?(?:stop|wait|pause)\b`,
    "i",
  ),
  // "only make a list", "just write the plan"
  new RegExp(
    String.raw`\b(?:only|just)\s+(?:make|write|create|draft|give|list|plan|produce|prepare)\b[^.!?\n]*\b${LIST}\b`,
    "i",
  ),
  // "do not start on it yet", "don't execute anything"
  new RegExp(String.raw`\b(?:do\s+not|don[’']t)\s+(?:${START}|do\s+(?:it|them|anything|any\s+of\s+it))\b`, "i"),
];

/** True if a request wants a list of the work and not the work itself. Matches whole words. */
export function asksForListOnly(request: string): boolean {
  return ONLY_LIST.some((pattern) => pattern.test(request));
}
