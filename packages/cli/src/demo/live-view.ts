import type { RunEvent } from "@phasekit/core";
import { fitText, padText } from "../clean-text.ts";
import { bar } from "../render/bar.ts";
import { eventLine } from "../render/event-line.ts";
import { createInlineFrame } from "../render/inline-frame.ts";
import { count, plural, tokens } from "../render/numbers.ts";
import { phaseColor } from "../render/phase-color.ts";
import type { Colors, Terminal } from "../terminal.ts";

/** The live screen of a run: a fold over its events. */
export interface Screen {
  readonly add: (step: readonly RunEvent[]) => void;
  readonly lines: (size: { readonly columns: number; readonly rows: number }) => readonly string[];
}

const PHASES = ["exploring", "planning", "acting", "verifying"];
const MAX_LINES = 40;

/** Creates a screen for one run: phases, usage and latest events. */
export function createScreen({ title, colors }: { readonly title: string; readonly colors: Colors }): Screen {
  const calls = new Map<string, number>();
  const events: RunEvent[] = [];
  let phase = "exploring";
  let turns = 0;
  let spent = 0;
  let all = 0;
  return {
    add: (step) => {
      for (const event of step) {
        if (event.turn !== undefined) turns = Math.max(turns, event.turn);
        if (event.type === "phase.transition") phase = event.to;
        if (event.type === "model.answered")
          spent += (event.usage?.inputTokens ?? 0) + (event.usage?.outputTokens ?? 0);
        if (event.type === "tool.requested") {
          all += 1;
          calls.set(phase, (calls.get(phase) ?? 0) + 1);
        }
        if (eventLine(event, { colors, width: 80, all: true }) !== undefined) events.push(event);
      }
      events.splice(0, Math.max(0, events.length - MAX_LINES));
    },
    lines: ({ columns, rows }) => {
      const width = Math.min(columns, 120) - 4;
      const bars = Math.max(4, Math.min(24, width - 22));
      const phaseRows = PHASES.map((name) => {
        const own = calls.get(name) ?? 0;
        const isHere = name === phase;
        const label = padText(name, 10);
        const share = phaseColor(name, colors)(padText(bar(own / Math.max(1, all), bars), bars));
        const head = isHere ? `${colors.green("▶")} ${colors.bold(label)}` : `  ${label}`;
        return `  ${head} ${share} ${own === 0 ? "" : plural(own, "call")}`.trimEnd();
      });
      const usage = `turn ${count(turns)} · ${plural(all, "call")} · ${tokens(spent)} tokens · mode gate`;
      const shown = Math.max(4, Math.min(14, rows - phaseRows.length - 7));
      const recent = events.slice(-shown).map((event) => `  ${eventLine(event, { colors, width, all: true }) ?? ""}`);
      return [
        // A wrapped line would break the redraw.
        `${colors.bold("phasekit demo")} · ${fitText(title, width - 12)}`,
        "",
        ...phaseRows,
        "",
        `  ${colors.dim(fitText(usage, width))}`,
        "",
        ...recent,
        ...Array.from({ length: Math.max(0, shown - recent.length) }, () => ""),
      ];
    },
  };
}

/** Redraws a screen in place. */
export function createLiveView(
  screen: Screen,
  { terminal, rows }: { readonly terminal: Terminal; readonly rows: number },
): { readonly draw: () => void } {
  const frame = createInlineFrame(terminal.out);
  return {
    draw: () => {
      // An empty last line: what is printed next starts below the screen.
      frame.draw([...screen.lines({ columns: terminal.columns, rows }), ""]);
    },
  };
}
