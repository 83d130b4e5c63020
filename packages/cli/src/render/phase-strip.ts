import type { PhaseShare } from "@phasekit/ledger/story";
import { cleanText } from "../clean-text.ts";
import type { Colors } from "../terminal.ts";
import { phaseColor } from "./phase-color.ts";

/**
 * Renders all phases of a run in one strip, each as wide as its share: colored blocks, or letters without colors.
 */
export function phaseStrip(
  phases: readonly PhaseShare[],
  { width, colors }: { readonly width: number; readonly colors: Colors },
): string {
  const shown = phases.filter(({ share }) => share > 0);
  const widths = sharesToWidths(
    shown.map(({ share }) => share),
    width,
  );
  const strip = shown
    .map(({ phase }, index) => {
      const letter = colors.isColorSupported ? "█" : (Array.from(cleanText(phase))[0] ?? "?");
      return phaseColor(phase, colors)(letter.repeat(widths[index] ?? 0));
    })
    .join("");
  const used = widths.reduce((sum, own) => sum + own, 0);
  return strip + colors.dim("·".repeat(Math.max(0, width - used)));
}

/** Splits a width by shares: at least one column each while there is room, and exactly the width in sum. */
function sharesToWidths(shares: readonly number[], width: number): readonly number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (total <= 0) return shares.map(() => 0);
  const widths = shares.map((share) => Math.max(1, Math.floor((share / total) * width)));
  const largest = (): number => widths.indexOf(Math.max(...widths));
  for (let sum = widths.reduce((all, own) => all + own, 0); sum !== width; sum += Math.sign(width - sum)) {
    const at = largest();
    if (sum > width && (widths[at] ?? 0) <= 0) break;
    widths[at] = (widths[at] ?? 0) + Math.sign(width - sum);
  }
  return widths;
}
