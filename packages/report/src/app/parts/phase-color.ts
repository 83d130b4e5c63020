import { phaseHue } from "../../views/phase-hue.ts";

/** Returns the color of a phase. Lightness and chroma come from the theme; the name is always shown too. */
export function phaseColor(phase: string): string {
  return `oklch(var(--phase-light) var(--phase-chroma) ${String(phaseHue(phase))})`;
}
