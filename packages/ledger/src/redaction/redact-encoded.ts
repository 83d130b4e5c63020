import { decodeAt, decodePercent } from "./decode-text.ts";
import type { Span } from "./text-spans.ts";
import type { TokenRuns } from "./token-runs.ts";

const NAME = /\[redacted:([a-z0-9-]{1,40})\]/;

/**
 * Finds runs that stand for a text with a secret in it: base64, hex and percent codes. `redact` is asked about the
 * decoded text; the whole run is taken out, whatever else it holds.
 */
export function findEncoded(
  text: string,
  {
    encoded = [],
    percent = [],
    redact,
  }: Pick<TokenRuns, "encoded" | "percent"> & { readonly redact: (decoded: string) => string },
): readonly Span[] {
  const spans: Span[] = [];
  const add = (from: number, to: number, decoded: string): void => {
    const clean = redact(decoded);
    if (clean !== decoded) spans.push({ from, to, name: NAME.exec(clean)?.[1] ?? "secret" });
  };
  for (const found of decodeAt(text, encoded)) add(found.from, found.to, found.text);
  for (let index = 0; index < percent.length; index += 2) {
    const [from, to] = [percent[index] as number, percent[index + 1] as number];
    const run = text.slice(from, to);
    const decoded = decodePercent(run);
    if (decoded !== run) add(from, to, decoded);
  }
  return spans;
}
