import type { Mode } from "@phasekit/core";
import { basename } from "node:path";
import { cleanText, fitText } from "../clean-text.ts";
import type { Simulated } from "../commands/simulate.ts";
import type { ReadLogs } from "../logs/tell-logs.ts";
import type { Terminal } from "../terminal.ts";
import type { SimulatedRun, SimulationTotals } from "../story/simulation.ts";
import { count, duration, percent, plural, tokens } from "./numbers.ts";
import { table } from "./table.ts";
import { wrapText } from "./wrap-text.ts";

const MAX_ROWS = 8;

/** What would have fired, over all runs: a column per set of policies, then outcomes, policies and the runs it mattered most for. */
export function renderSimulation({ mode, simulated, read, elapsedMs }: { readonly mode: Mode; readonly simulated: readonly Simulated[]; readonly read: ReadLogs; readonly elapsedMs: number }, { colors, columns, isAgent }: Terminal): readonly string[] {
  const [first] = simulated;
  if (first === undefined) return [];
  const frame = { width: columns, head: colors.dim };
  const totals = simulated.map(({ totals: own }) => own);
  const row = (what: string, show: (totals: SimulationTotals) => string): readonly string[] => [what, ...totals.map(show)];
  const facts = [
    row("would have spoken in", ({ spoke, runs }) => `${plural(spoke, "run")} (${percent(spoke / Math.max(1, runs))})`),
    row("nudges / refusals / vetoes", ({ nudges, refusals, vetoes }) => `${count(nudges)} / ${count(refusals)} / ${count(vetoes)}`),
    row("would have stopped", ({ stopped }) => plural(stopped, "run")),
    row("first word, median", ({ medianFirst }) => (medianFirst === undefined ? "–" : `call ${count(medianFirst)}`)),
    row("spent after the first word", ({ callsAfterFirst, tokensAfterFirst }) => `${plural(callsAfterFirst, "call")}, ${tokens(tokensAfterFirst)} tokens`),
    row("spent after the stops", ({ callsAfterStop, tokensAfterStop }) => `${plural(callsAfterStop, "call")}, ${tokens(tokensAfterStop)} tokens`),
  ];
  const top = biggest(first.runs);
  // Two sets have the same columns each: the first of them says whose they are.
  const whose = (policy: string): string => (simulated.length === 1 ? "" : `${fitText(cleanText(policy), 14)}: `);
  return [
    `${plural(first.totals.runs, "run")} in ${plural(read.logs, "log")}, ${plural(first.totals.calls, "call")}, mode ${mode}, read in ${duration(elapsedMs)}`,
    "",
    ...table([{ head: "" }, ...simulated.map(({ policy }) => ({ head: cleanText(policy), flexible: true }))], facts, frame),
    "",
    ...table(
      [{ head: "outcome in the log" }, { head: "runs", right: true }, ...simulated.flatMap(({ policy }) => [{ head: `${whose(policy)}spoke`, right: true }, { head: "stopped", right: true }])],
      first.totals.byOutcome.map(({ outcome, runs }) => [outcome, count(runs), ...totals.flatMap(({ byOutcome }) => {
        const own = byOutcome.find((entry) => entry.outcome === outcome);
        return [count(own?.spoke ?? 0), count(own?.stopped ?? 0)];
      })]),
      frame,
    ),
    ...(isAgent ? [] : [...policyTable(first, { ...frame, whose: whose(first.policy) }), ...topTable(top, { ...frame, whose: whose(first.policy) })]),
    ...(read.unreadable.length === 0 ? [] : ["", `${plural(read.unreadable.length, "file")} could not be read as a log: ${read.unreadable.slice(0, 3).map(({ path }) => fitText(basename(path), 24)).join(", ")}${read.unreadable.length > 3 ? " …" : ""}`]),
    "",
    ...wrapText("What was spent after a word or a stop is an upper bound of what it saves: the agent was never told.", columns),
  ];
}

interface Frame {
  readonly width: number;
  readonly head: (text: string) => string;
}

interface OwnFrame extends Frame {
  readonly whose: string;
}

function policyTable({ policies }: Simulated, { whose, ...frame }: OwnFrame): readonly string[] {
  if (policies.length === 0) return [];
  const numbers = ["runs", "nudges", "refusals", "vetoes", "stops"] as const;
  return ["", ...table([{ head: `${whose}policy`, flexible: true }, ...numbers.map((head) => ({ head, right: true }))], policies.slice(0, MAX_ROWS).map((tally) => [cleanText(tally.policy), ...numbers.map((name) => count(tally[name]))]), frame)];
}

/** The runs in which most was spent after the first word. */
function biggest(runs: readonly SimulatedRun[]): readonly SimulatedRun[] {
  const weight = ({ first }: SimulatedRun): number => (first?.tokensAfter ?? 0) * 1e-6 + (first?.callsAfter ?? 0);
  return runs.filter(({ first }) => first !== undefined).toSorted((a, b) => weight(b) - weight(a)).slice(0, MAX_ROWS);
}

function topTable(runs: readonly SimulatedRun[], { whose, ...frame }: OwnFrame): readonly string[] {
  if (runs.length === 0) return [];
  const cells = runs.map(({ run, outcome, calls, first, stop }) => [
    cleanText(run),
    outcome,
    first === undefined ? "" : `${first.what} at ${count(first.call)} by ${cleanText(first.by)}`,
    stop === undefined ? "" : `at ${count(stop.call)}`,
    `${count(first?.callsAfter ?? 0)} of ${count(calls)}`,
  ]);
  return ["", ...table([{ head: `${whose}run`, flexible: true }, { head: "outcome", flexible: true }, { head: "first word", flexible: true }, { head: "stop" }, { head: "calls after", right: true }], cells, frame)];
}
