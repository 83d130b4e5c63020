import { isObject, toObject } from "@phasekit/core/adapter";
import { visibleText } from "../visible-text.ts";

/** One line of a diff. */
export interface DiffLine {
  readonly sign: "+" | "-" | " ";
  readonly text: string;
}

/** Lines around a change that stay. */
const CONTEXT = 2;
/** A diff of more lines is cut. */
const MAX_LINES = 400;
const OLD = ["old_string", "oldString", "old_str", "old_text", "oldText", "search"];
const NEW = ["new_string", "newString", "new_str", "new_text", "newText", "replace"];
const WHOLE = ["content", "contents", "file_text", "fileText", "text", "new_source"];
const PATCH = ["patch", "patchText", "input", "diff"];
/** Fields of a call that its diff shows. */
export const diffFields: ReadonlySet<string> = new Set([...OLD, ...NEW, ...WHOLE, ...PATCH, "edits"]);
const FILE_HEAD = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/;
const PATCH_MARK = /^(?:\*\*\*|---|\+\+\+|@@|diff --git|index |\\ No newline)/;

/** Returns what an edit of a file changed, from the input of its call; none if the input does not tell it. */
export function editDiff(input: unknown, path: string): readonly DiffLine[] {
  return changedLines(input, path).map(({ sign, text }) => ({ sign, text: visibleText(text) }));
}

function changedLines(input: unknown, path: string): readonly DiffLine[] {
  if (typeof input === "string") return patchLines(input, path);
  const given = toObject(input);
  const patch = textAt(given, PATCH);
  if (patch !== undefined && /^(?:\*\*\* |@@|--- |diff --git)/m.test(patch)) return patchLines(patch, path);
  const edits = Array.isArray(given["edits"]) ? given["edits"].filter(isObject).map(toObject) : [given];
  const lines = edits.flatMap((edit) => {
    const before = textAt(edit, OLD);
    const after = textAt(edit, NEW) ?? (before === undefined ? textAt(edit, WHOLE) : undefined);
    return before === undefined && after === undefined ? [] : lineDiff(before ?? "", after ?? "");
  });
  return lines.slice(0, MAX_LINES);
}

/** Counts the lines that a diff adds and removes. */
export const countLines = (lines: readonly DiffLine[], sign: DiffLine["sign"]): number =>
  lines.filter((line) => line.sign === sign).length;

function textAt(values: Readonly<Record<string, unknown>>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof values[each] === "string");
  return name === undefined ? undefined : (values[name] as string);
}

/** Compares two texts line by line. Equal lines at both ends are context, a few of them. */
function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < Math.min(old.length, fresh.length) && old[head] === fresh[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  return [
    ...signed(" ", old.slice(Math.max(0, head - CONTEXT), head)),
    ...middleDiff(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)),
    ...signed(" ", old.slice(old.length - tail, old.length - tail + CONTEXT)),
  ];
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

const signed = (sign: DiffLine["sign"], lines: readonly string[]): readonly DiffLine[] =>
  lines.map((text) => ({ sign, text }));

/** Larger parts are shown as removed, then added: comparing them would slow the page down. */
const MAX_COMPARED = 200;

/** Keeps the longest common sequence of lines. */
function middleDiff(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  if (Math.max(old.length, fresh.length) > MAX_COMPARED) return [...signed("-", old), ...signed("+", fresh)];
  const width = fresh.length + 1;
  // The length of the longest common sequence of what is left of both, from each pair of places on.
  const common = new Uint16Array((old.length + 1) * width);
  const at = (from: number, to: number): number => common[from * width + to] ?? 0;
  for (let from = old.length - 1; from >= 0; from -= 1)
    for (let to = fresh.length - 1; to >= 0; to -= 1)
      common[from * width + to] =
        old[from] === fresh[to] ? at(from + 1, to + 1) + 1 : Math.max(at(from + 1, to), at(from, to + 1));
  const lines: DiffLine[] = [];
  let from = 0;
  let to = 0;
  while (from < old.length || to < fresh.length) {
    const [before, after] = [old[from], fresh[to]];
    if (before !== undefined && before === after) {
      lines.push({ sign: " ", text: before });
      from += 1;
      to += 1;
    } else if (before !== undefined && (after === undefined || at(from + 1, to) >= at(from, to + 1))) {
      lines.push({ sign: "-", text: before });
      from += 1;
    } else {
      lines.push({ sign: "+", text: after ?? "" });
      to += 1;
    }
  }
  return lines;
}

/** The part of a patch that is about a file; all of it if the patch names no file. */
function patchLines(patch: string, path: string): readonly DiffLine[] {
  const found: DiffLine[] = [];
  let isOurs = true;
  for (const line of patch.split("\n")) {
    const file = FILE_HEAD.exec(line)?.[1]?.trim();
    if (file !== undefined) isOurs = file === path || path.endsWith(`/${file}`) || file.endsWith(`/${path}`);
    else if (isOurs && !PATCH_MARK.test(line) && line !== "" && found.length < MAX_LINES) {
      const sign = line.charAt(0);
      found.push(
        sign === "+" || sign === "-" ? { sign, text: line.slice(1) } : { sign: " ", text: line.replace(/^ /, "") },
      );
    }
  }
  return found;
}
