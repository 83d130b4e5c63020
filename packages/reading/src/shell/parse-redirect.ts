import { scanWord, skipBlanks } from "./scan-word.ts";
import { codeAt, type Cursor, NONE, type Redirects } from "./shell-node.ts";

const MAX_INPUT = 16_384;
const MAX_HEREDOCS = 16;
const MAX_WRITES = 32;

/** True if a redirection begins here; `<(…)` is a word. */
export function isRedirect({ text, at }: Cursor): boolean {
  const mark = codeAt(text, at);
  if (mark !== 60 && mark !== 62 && mark !== 38) return false;
  return mark === 38 ? codeAt(text, at + 1) === 62 : codeAt(text, at + 1) !== 40;
}

/** Reads a redirection into the part it belongs to. The descriptor is the number before it, as in `2>&1`. */
export function readRedirect(cursor: Cursor, node: Redirects, descriptor: string): void {
  const [operator = ""] =
    /^(?:<<<|<<-?|<[>&]?|&?>>|&>|>[>|&]?)/.exec(cursor.text.slice(cursor.at, cursor.at + 3)) ?? [];
  cursor.at += operator.length;
  skipBlanks(cursor);
  const target = scanWord(cursor);
  if (operator === "<<<") node.input = target.slice(0, MAX_INPUT);
  else if (operator.startsWith("<<")) {
    if (cursor.heredocs.length < MAX_HEREDOCS) cursor.heredocs = [...cursor.heredocs, { delimiter: target, node }];
  } else if (
    operator.includes(">") &&
    Number(descriptor) <= 1 &&
    node.writes.length < MAX_WRITES &&
    isFile(operator, target)
  )
    node.writes = [...node.writes, target];
}

/** `2>&1` and `>&-` name no file, and what goes to a device is not kept. */
function isFile(operator: string, target: string): boolean {
  return !(operator === ">&" && /^[\d-]*$/.test(target)) && !/^(?:\/dev\/|nul$|\$null$|>\(|$)/i.test(target);
}

/** At the beginning of a line: reads the texts of the heredocs that were announced on the line before. */
export function readHeredocs(cursor: Cursor): void {
  const { text, heredocs } = cursor;
  if (heredocs.length === 0) return;
  for (const { delimiter, node } of heredocs) {
    const start = cursor.at;
    let end = text.length;
    for (let from = start; from < text.length;) {
      const newline = text.indexOf("\n", from);
      const next = newline === -1 ? text.length : newline;
      if (next - from < delimiter.length + 40 && text.slice(from, next).trim() === delimiter) {
        end = from;
        cursor.at = Math.min(next + 1, text.length);
        break;
      }
      cursor.at = from = next + 1;
    }
    if (cursor.at > text.length) cursor.at = text.length;
    cursor.limit += cursor.at - start;
    node.input = text.slice(start, Math.min(end, start + MAX_INPUT));
  }
  cursor.heredocs = NONE;
}
