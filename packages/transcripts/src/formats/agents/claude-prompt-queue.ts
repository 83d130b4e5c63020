import { type LooseObject, textIn } from "@phasekit/core/adapter";

/** Prompts the user wrote while the agent worked. */
export interface PromptQueue {
  /** Reads a queue operation. True if it gave a prompt to the agent in the middle of its turn. */
  readonly operation: (line: LooseObject, at: number | undefined) => boolean;
  /** A record of a queued prompt that reached the agent. True if the prompt was not given before. */
  readonly given: (text: string, at: number | undefined) => boolean;
}

const MAX_QUEUED = 100;

/**
 * Follows the queue of prompts. A prompt that leaves the queue at the end of a turn is in the log as a message of the
 * user; one that is taken out in the middle of a turn is only in the queue, and in later versions in an attachment.
 */
export function createPromptQueue(give: (text: string, at: number | undefined) => void): PromptQueue {
  const queued: string[] = [];
  const lately: string[] = [];

  function given(text: string, at: number | undefined): boolean {
    if (text === "" || isNotice(text) || lately.includes(text)) return false;
    lately.push(text);
    if (lately.length > MAX_QUEUED) lately.shift();
    give(text, at);
    return true;
  }

  return {
    given,
    operation: ({ operation, content }, at) => {
      if (operation === "enqueue") {
        queued.push(textIn(content));
        if (queued.length > MAX_QUEUED) queued.shift();
        // Forget earlier uses: the user may write the same words again.
        const before = lately.indexOf(textIn(content));
        if (before !== -1) lately.splice(before, 1);
        return false;
      }
      if (operation === "popAll") queued.length = 0;
      const text = queued.shift();
      return operation === "remove" && text !== undefined && given(text, at);
    },
  };
}

/** The tool itself queues notices about background tasks. */
function isNotice(text: string): boolean {
  return /^\s*(?:\{"task_id"|<(?:task|bash|agent|system)-[a-z-]+>)/.test(text);
}
