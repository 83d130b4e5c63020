import { quote } from "@phasekit/core/adapter";

/** Formats a foreign value as one line, without control or bidi characters and without quotes. */
export function shownText(value: unknown, max = 160): string {
  return quote(value, { max: max + 2 })
    .slice(1, -1)
    .replaceAll("‹", "<");
}

/** Formats a signature without the hash of arguments and errors at its end, which means nothing to people. */
export function signatureText(signature: string): string {
  return shownText(signature).replace(/ #[\w.]+$/, "");
}
