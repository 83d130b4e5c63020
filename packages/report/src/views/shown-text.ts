import { quote } from "@phasekit/core";

/** A value somebody else wrote, as one line for people: no control or bidi characters, no quotes around it. */
export function shownText(value: unknown, max = 160): string {
  return quote(value, { max: max + 2 }).slice(1, -1).replaceAll("‹", "<");
}
