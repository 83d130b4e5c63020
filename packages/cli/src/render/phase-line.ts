import type { PhaseShare } from "@phasekit/ledger/story";
import { cleanText, padText, textWidth } from "../clean-text.ts";
import type { Colors } from "../terminal.ts";
import { bar } from "./bar.ts";
import { percent } from "./numbers.ts";
import { phaseColor } from "./phase-color.ts";

/** Renders the phases of a run with a bar each: on one line if they fit, else one line each. */
export function phaseLines(
  phases: readonly PhaseShare[],
  { width, colors }: { readonly width: number; readonly colors: Colors },
): readonly string[] {
  if (phases.length === 0) return [];
  const names = phases.map(({ phase }) => cleanText(phase));
  const taken = names.reduce((sum, name) => sum + textWidth(name) + 7, 0);
  const room = width - taken;
  if (room >= 12 || phases.length === 1) {
    const bars = Math.min(40, room);
    return [
      phases
        .map(({ share }, index) =>
          [
            names[index] ?? "",
            ...(share > 0 ? [phaseColor(names[index] ?? "", colors)(bar(share, bars))] : []),
            percent(share).replace(" ", ""),
          ].join(" "),
        )
        .join("  "),
    ];
  }
  const longest = Math.max(...names.map(textWidth));
  return phases.map(({ share }, index) =>
    [
      padText(names[index] ?? "", longest),
      phaseColor(names[index] ?? "", colors)(padText(bar(share, 20), 20)),
      percent(share).replace(" ", ""),
    ].join(" "),
  );
}
