import { costText, duration, percent, tokens } from "./number-text.ts";
import type { Overview } from "./overview.ts";
import { verificationOf, words } from "@phasekit/ledger/story";

/** One measure of two runs. */
export interface ComparedRow {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  /** The better run, if less is better. */
  readonly better?: "a" | "b";
}

/** Compares two runs, or one run under two policies, measure by measure. */
export function compareRuns(a: Overview, b: Overview): readonly ComparedRow[] {
  const less = (
    what: string,
    read: (run: Overview) => number | undefined,
    show: (value: number) => string = String,
  ): ComparedRow => {
    const [left, right] = [read(a), read(b)];
    const better = left === undefined || right === undefined || left === right ? undefined : left < right ? "a" : "b";
    return {
      what,
      a: left === undefined ? "unknown" : show(left),
      b: right === undefined ? "unknown" : show(right),
      ...(better !== undefined && { better }),
    };
  };
  const same = (what: string, read: (run: Overview) => string): ComparedRow => ({ what, a: read(a), b: read(b) });
  return [
    same("Outcome", ({ line }) => line.word),
    same("Reason", ({ line, failure }) => failure ?? line.reason ?? "still running"),
    same("Evidence", ({ story }) => words.verdictText(verificationOf(story))),
    same("Phases", ({ line }) => line.phases.map(({ phase }) => phase).join(" → ")),
    less("Active time", ({ line }) => (line.elapsed === 0 ? undefined : line.elapsed), duration),
    less("Turns", ({ story }) => story.turns),
    less("Tool calls", ({ line }) => line.calls),
    less("Failed calls", ({ story }) => story.failedCalls),
    less("Tokens", ({ line }) => line.tokens, tokens),
    // A cost that is known in part cannot be compared.
    {
      ...less("Cost", ({ line }) => (line.unpricedCalls === 0 ? (line.cost ?? 0) : undefined)),
      a: costText(a.line),
      b: costText(b.line),
    },
    less("Wasted calls", ({ line }) => line.wastedCalls),
    less("Wasted share of calls", ({ line }) => (line.calls === 0 ? 0 : line.wastedCalls / line.calls), percent),
    less("Loops", ({ line }) => line.loops),
    same("Nudges sent (helped)", ({ story, nudges }) => {
      const helped = nudges.filter(({ effect }) => effect === "helped").length;
      return `${String(story.interventions.applied.nudges)} (${String(helped)})`;
    }),
    same("Refusals", ({ story }) => String(story.interventions.applied.refusals)),
    same("Vetoes", ({ story }) => String(story.interventions.applied.vetoes)),
  ];
}
