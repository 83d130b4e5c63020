import { alert, hashText, type Policy } from "@phasekit/core";
import { setBounded } from "../bounded.ts";
import { callDetector, type DetectorState } from "../call-detector.ts";
import { type CallInputs, keepInput, takeInput } from "../call-inputs.ts";
import { saysBad } from "../receipt.ts";
import { outputText } from "../result-text.ts";
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
  /** How many times are one too many. */
  limit: number;
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
    initial: () => ({ idle: true, inputs: [], files: new Map(), file: "", limit: times }),
    onRequest: (state, event) => {
      if (mayEdit(event.meaning.activity)) keepInput(state.inputs, event);
    },
    onCall: (state, call, { event, asked }) => {
      state.limit = Math.max(times, asked.again);
      if (!mayEdit(event.meaning.activity)) {
        if (call.changes && !call.failed && UNDO.test(call.fingerprint)) for (const history of state.files.values()) history.undone = true;
        return;
      }
      const input = takeInput(state.inputs, event);
      // The same edit once more gets the same receipt; that it was undone in between is what counts.
      const landed = call.landed || (event.meaning.activity === "edit" && !call.failed && !saysBad(outputText(event.output)));
      const change = landed ? changeOf(input, event.meaning.targets?.[0]) : undefined;
      if (change === undefined) return;
      state.file = change.file;
      state.idle = foldChange(state, change) < state.limit;
    },
    report: ({ files, file, limit }) => {
      const found = file === "" ? undefined : files.get(file);
      if (found === undefined || found.returns < limit) return undefined;
      return alert({ kind: "edit-flip-flop", signature: file, count: found.returns + 1, evidence: { file, returns: found.returns } });
    },
  });
}

/** An edit, or something nobody knows: then its arguments tell. */
function mayEdit(activity: string | undefined): boolean {
  return activity === "edit" || activity === "other" || activity === undefined;
}

const UNDO = /\b(?:checkout|restore|reset|revert|stash|undo)\b/i;

interface Change {
  readonly file: string;
  readonly before: string | undefined;
  readonly after: string;
}

function foldChange({ files }: EditFlipFlopState, { file, before, after }: Change): number {
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

const PLACE = /^(?:target_?)?(?:file_?)?(?:path|name|file)$|^(?:doc(?:ument)?|page|note|draft|article|record)(?:_?id)?$/i;
const OLD = /^(?:old|search|find|before|original)(?:_?(?:string|str|text|content|code|value))?$/i;
const NEW = /^(?:new|replace|replacement|replace_with|after)(?:_?(?:string|str|text|content|code|value))?$/i;
const WHOLE = /^(?:file_?)?(?:contents?|text|body|subject|title|value)$/i;

/** What an edit replaces with what in which file, as hashes: a passage, or the whole. The shape of the arguments tells. */
function changeOf(input: unknown, target: string | undefined): Change | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const found: { file?: string; before?: string; after?: string; whole?: string } = {};
  for (const [key, value] of Object.entries(input)) {
    if (typeof value !== "string") continue;
    if (PLACE.test(key)) found.file ??= value;
    else if (OLD.test(key)) found.before = hashText(value);
    else if (NEW.test(key)) found.after = hashText(value);
    else if (WHOLE.test(key)) found.whole = hashText(`${found.whole ?? ""}${value}`);
  }
  const { before, file = target } = found;
  const after = before === undefined ? found.whole : found.after;
  return file === undefined || after === undefined || before === after ? undefined : { file: target ?? file, before, after };
}
