import { alert, hashText, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { type CallInputs, keepInput, takeInput } from "../call-inputs.ts";
import type { CallOptions } from "../tool-rules.ts";

/** Options of `editFlipFlop`. */
export interface EditFlipFlopOptions extends CallOptions {
  /** Times a file goes back to an earlier content. @default 2 */
  readonly times?: number;
}

interface FileHistory {
  /** How often each pair of contents or passages was exchanged, in either direction. */
  readonly exchanges: Map<string, { readonly count: number; readonly after: string }>;
  now: string;
  returns: number;
  /** Something was taken back since its last edit. */
  undone: boolean;
}

interface EditFlipFlopState extends DetectorState {
  readonly inputs: CallInputs;
  readonly files: Map<string, FileHistory>;
  file: string;
}

const MAX_FILES = 64;
const MAX_PAIRS = 16;

/**
 * Notices a file going back to what it was: work that undoes itself.
 *
 * Fires: a line changed from a to b, back to a, and to b again, whatever the tests said in between; one edit made again
 * after each `git checkout` of it.
 * Silent: one undo, also of several edits, many edits of one file at different places, rejected edits.
 * Seen: CopilotForXcode issue 402, where each change undoes the one before; command-code issue 512.
 */
export function editFlipFlop({ times = 2, tools }: EditFlipFlopOptions = {}): Policy {
  return callDetector<EditFlipFlopState>({
    name: "edit-flip-flop",
    tools,
    initial: () => ({ idle: true, inputs: [], files: new Map(), file: "" }),
    onRequest: (state, event) => {
      if (event.meaning.activity === "edit") keepInput(state.inputs, event);
    },
    onCall: (state, call, { event }) => {
      if (event.meaning.activity !== "edit") {
        if (call.landed && UNDO.test(call.fingerprint)) for (const history of state.files.values()) history.undone = true;
        return;
      }
      const input = takeInput(state.inputs, event);
      const file = event.meaning.targets?.[0] ?? "";
      if (call.failed || file === "") return;
      const change = changeOf(input);
      if (change === undefined) return;
      state.file = file;
      state.idle = foldChange(state, file, change) < times;
    },
    report: ({ files, file }) => {
      const found = file === "" ? undefined : files.get(file);
      if (found === undefined || found.returns < times) return undefined;
      return alert({ kind: "edit-flip-flop", signature: file, count: found.returns + 1, evidence: { file, returns: found.returns } });
    },
  });
}

const UNDO = /\b(?:checkout|restore|reset|revert|stash|undo)\b/i;

interface Change {
  readonly before: string | undefined;
  readonly after: string;
}

function foldChange({ files }: EditFlipFlopState, file: string, { before, after }: Change): number {
  const history: FileHistory = files.get(file) ?? { exchanges: new Map(), now: "", returns: 0, undone: false };
  const left = before ?? history.now;
  if (before === undefined) history.now = after;
  if (left !== after && left !== "") {
    const pair = left < after ? `${left} ${after}` : `${after} ${left}`;
    const known = history.exchanges.get(pair);
    // The same replacement at another place is no way back, unless the first one was taken back.
    const count = known?.after === after && !history.undone ? known.count : (known?.count ?? 0) + 1;
    setBounded(history.exchanges, [pair, { count, after }], MAX_PAIRS);
    // The first exchange is an edit, the second an undo; from the third on it goes back and forth.
    history.returns = count - 1;
    history.undone = false;
  }
  setBounded(files, [file, history], MAX_FILES);
  return history.returns;
}

const OLD = ["old_string", "old_str", "old", "search", "find", "old_text", "oldText"];
const NEW = ["new_string", "new_str", "new", "replace", "replacement", "new_text", "newText"];
const WHOLE = ["content", "file_text", "contents", "text"];

/** What an edit replaces with what, as hashes: a passage, or the whole file. */
function changeOf(input: unknown): Change | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const given = input as Readonly<Record<string, unknown>>;
  const text = (keys: readonly string[]): string | undefined => {
    const found = keys.map((key) => given[key]).find((value) => typeof value === "string");
    return typeof found === "string" ? hashText(found) : undefined;
  };
  const before = text(OLD);
  const after = text(NEW);
  if (before !== undefined && after !== undefined) return before === after ? undefined : { before, after };
  const whole = text(WHOLE);
  return whole === undefined ? undefined : { before: undefined, after: whole };
}
