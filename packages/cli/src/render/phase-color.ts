import { tableOf } from "@phasekit/core/adapter";
import type { Colors } from "../terminal.ts";

type ColorName = "blueBright" | "magenta" | "yellow" | "green" | "cyan" | "magentaBright" | "greenBright" | "white";

/** The colors of the phases that presets use; pages use the same hues. Red means failure. */
const KNOWN: Readonly<Record<string, ColorName>> = tableOf({
  exploring: "blueBright",
  planning: "magenta",
  acting: "yellow",
  verifying: "green",
  working: "blueBright",
  reviewing: "cyan",
  waiting: "magentaBright",
  done: "greenBright",
});
const OTHERS: readonly ColorName[] = ["cyan", "magentaBright", "greenBright", "white", "yellow", "blueBright"];

/** Returns the color of a phase: one name has one color in every command. */
export function phaseColor(phase: string, colors: Colors): (text: string) => string {
  const known = KNOWN[phase];
  let hash = 0;
  for (const letter of phase) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return colors[known ?? OTHERS[hash % OTHERS.length] ?? "white"];
}
