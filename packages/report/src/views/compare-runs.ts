import { duration, percent, tokens } from "./number-text.ts";
import type { Overview } from "./overview.ts";

/** One measure of two runs. */
export interface ComparedRow {
  readonly what: string;
  readonly a: string;
  readonly b: string;
  /** Which of the two is better, where less or more is plainly better. */
  readonly better?: "a" | "b";
}

/** Two runs, or one run under two policies, measure by measure. */
export function compareRuns(a: Overview, b: Overview): readonly ComparedRow[] {
  const less = (what: string, read: (run: Overview) => number | undefined, show: (value: number) => string = String): ComparedRow => {
    const [left, right] = [read(a), read(b)];
    const better = left === undefined || right === undefined || left === right ? undefined : left < right ? "a" : "b";
    return { what, a: left === undefined ? "unknown" : show(left), b: right === undefined ? "unknown" : show(right), ...(better !== undefined && { better }) };
  };
  const same = (what: string, read: (run: Overview) => string): ComparedRow => ({ what, a: read(a), b: read(b) });
  return [
    same("Outcome", ({ line }) => line.state),
    same("Why it ended", ({ line, failure }) => failure ?? line.reason ?? "still running"),
    same("Verified", ({ line }) => (line.verified ? "yes" : "no")),
    same("Phases", ({ line }) => line.phases.map(({ phase }) => phase).join(" → ")),
    less("Time worked", ({ line }) => line.elapsed, duration),
    less("Turns", ({ spend }) => spend.total.turns),
    less("Tool calls", ({ line }) => line.calls),
    less("Failed calls", ({ spend }) => spend.total.errors),
    less("Tokens", ({ line }) => line.tokens, tokens),
    less("Cost", ({ line }) => line.cost, (value) => String(Number(value.toFixed(4)))),
    less("Calls that brought nothing", ({ line }) => line.wastedCalls),
    less("Share of calls that brought nothing", ({ line }) => (line.calls === 0 ? 0 : line.wastedCalls / line.calls), percent),
    less("Loops and findings", ({ line }) => line.loops),
    same("Nudges, helped", ({ nudges }) => `${String(nudges.filter(({ effect }) => effect !== "guidance").length)}, ${String(nudges.filter(({ effect }) => effect === "helped").length)}`),
    same("Gates that said no", ({ gates }) => String(gates.filter(({ held }) => held).length)),
  ];
}
