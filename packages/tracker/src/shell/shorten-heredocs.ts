/** Below this a line is parsed as it is. */
const SHORT = 2048;
/** Lines of a body that stay: what kind of text it is shows at its beginning. */
const KEPT_LINES = 20;
const MAX_TEXT = 1_048_576;
const MAX_HEREDOCS = 16;

/**
 * Cuts the bodies of heredocs, so that a file of any length written with `cat <<EOF` costs no more than its first
 * lines, and what follows it is still seen.
 */
export function shortenHeredocs(text: string): string {
  if (text.length <= SHORT || !text.includes("<<")) return text;
  const lines = text.slice(0, MAX_TEXT).split("\n");
  const kept: string[] = [];
  let found = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    kept.push(line);
    const delimiter = found < MAX_HEREDOCS && line.length < SHORT ? /<<-?\s*(["']?)([A-Za-z_]\w*)\1/.exec(line)?.[2] : undefined;
    if (delimiter === undefined) continue;
    found += 1;
    const end = endOf(lines, at + 1, delimiter);
    if (end === -1) continue;
    kept.push(...lines.slice(at + 1, Math.min(end, at + 1 + KEPT_LINES)).map((body) => body.slice(0, 200)), delimiter);
    at = end;
  }
  return kept.join("\n");
}

function endOf(lines: readonly string[], from: number, delimiter: string): number {
  for (let at = from; at < lines.length; at += 1) if (lines[at]?.trim() === delimiter) return at;
  return -1;
}
