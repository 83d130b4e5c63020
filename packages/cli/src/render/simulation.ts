import type { Mode } from "@phasekit/core";
import { basename } from "node:path";
import { cleanText, fitText } from "../clean-text.ts";
import type { SimulationResult } from "../commands/simulate.ts";
import { type LogTotals, stoppedLines } from "../logs/log-totals.ts";
import type { Terminal } from "../terminal.ts";
import type { SimulatedRun, SimulationTotals } from "../story/simulation.ts";
import { count, duration, percent, plural, tokens } from "./numbers.ts";
import { shortId } from "./short-id.ts";
import { table } from "./table.ts";
import { wrapText } from "./wrap-text.ts";

const MAX_ROWS = 8;

/**
 * Renders a back-test over all runs: a column per policy set, then outcomes, policies, and the runs with the most calls
 * after the first intervention.
 */
export function renderSimulation(
  {
    mode,
    simulated,
    read,
    elapsedMs,
  }: {
    readonly mode: Mode;
    readonly simulated: readonly SimulationResult[];
    readonly read: LogTotals;
    readonly elapsedMs: number;
  },
  { colors, columns, isAgent }: Terminal,
): readonly string[] {
  const [first] = simulated;
  if (first === undefined) return [];
  const frame = { width: columns, head: colors.dim };
  const totals = simulated.map(({ totals: own }) => own);
  const top = biggest(first.runs);
  // With two sets, the first column of each names the set.
  const whose = (policy: string): string => (simulated.length === 1 ? "" : `${fitText(cleanText(policy), 14)}: `);
  return [
    [
      `${plural(first.totals.runs, "run")} in ${plural(read.logs, "log")}`,
      plural(first.totals.calls, "call"),
      `mode ${mode}`,
      `read in ${duration(elapsedMs)}`,
    ].join(", "),
    "",
    ...table(
      [{ head: "" }, ...simulated.map(({ policy }) => ({ head: cleanText(policy), flexible: true }))],
      effectRows(totals),
      frame,
    ),
    "",
    ...outcomeTable(simulated, { ...frame, whose }),
    ...(isAgent
      ? []
      : [
          ...policyTable(first, { ...frame, whose: whose(first.policy) }),
          ...topTable(top, { ...frame, whose: whose(first.policy) }),
        ]),
    ...stoppedLines(read),
    ...(read.unreadable.length === 0
      ? []
      : [
          "",
          `${plural(read.unreadable.length, "file")} not recognized as a log: ${read.unreadable
            .slice(0, 3)
            .map(({ path }) => fitText(basename(path), 24))
            .join(", ")}${read.unreadable.length > 3 ? " …" : ""}`,
        ]),
    "",
    ...wrapText(
      "Spending after an intervention is an upper bound on its savings: the recorded agent never saw it.",
      columns,
    ),
  ];
}

interface Frame {
  readonly width: number;
  readonly head: (text: string) => string;
}

/** Rows about the effect: what the policies did, and what was spent after it. */
function effectRows(totals: readonly SimulationTotals[]): readonly (readonly string[])[] {
  const row = (what: string, show: (totals: SimulationTotals) => string): readonly string[] => [
    what,
    ...totals.map(show),
  ];
  return [
    row(
      "runs with an intervention",
      ({ intervened, runs }) => `${count(intervened)} of ${count(runs)} (${percent(intervened / Math.max(1, runs))})`,
    ),
    row(
      "nudges / refusals / vetoes",
      ({ nudges, refusals, vetoes }) => `${count(nudges)} / ${count(refusals)} / ${count(vetoes)}`,
    ),
    row("runs stopped", ({ stopped }) => count(stopped)),
    row("first intervention (median)", ({ medianFirst }) =>
      medianFirst === undefined ? "–" : `call ${count(medianFirst)}`,
    ),
    row(
      "spent after the first intervention",
      ({ callsAfterFirst, tokensAfterFirst }) =>
        `${plural(callsAfterFirst, "call")}, ${tokens(tokensAfterFirst)} tokens`,
    ),
    row(
      "spent after a stop",
      ({ callsAfterStop, tokensAfterStop }) => `${plural(callsAfterStop, "call")}, ${tokens(tokensAfterStop)} tokens`,
    ),
  ];
}

/** The outcomes the logs name, and what each policy set did in runs with them. */
function outcomeTable(
  simulated: readonly SimulationResult[],
  { whose, ...frame }: Frame & { readonly whose: (policy: string) => string },
): readonly string[] {
  const [first] = simulated;
  return table(
    [
      { head: "outcome in the log" },
      { head: "runs", right: true },
      ...simulated.flatMap(({ policy }) => [
        { head: `${whose(policy)}intervened`, right: true },
        { head: "stopped", right: true },
      ]),
    ],
    (first?.totals.byOutcome ?? []).map(({ outcome, runs }) => [
      outcome,
      count(runs),
      ...simulated.flatMap(({ totals: { byOutcome } }) => {
        const own = byOutcome.find((entry) => entry.outcome === outcome);
        return [count(own?.intervened ?? 0), count(own?.stopped ?? 0)];
      }),
    ]),
    frame,
  );
}

interface OwnFrame extends Frame {
  readonly whose: string;
}

function policyTable({ policies }: SimulationResult, { whose, ...frame }: OwnFrame): readonly string[] {
  if (policies.length === 0) return [];
  const numbers = ["runs", "nudges", "refusals", "vetoes", "stops"] as const;
  return [
    "",
    ...table(
      [{ head: `${whose}policy`, flexible: true }, ...numbers.map((head) => ({ head, right: true }))],
      policies
        .slice(0, MAX_ROWS)
        .map((tally) => [cleanText(tally.policy), ...numbers.map((name) => count(tally[name]))]),
      frame,
    ),
  ];
}

/** Returns the runs that spent most after the first intervention. */
function biggest(runs: readonly SimulatedRun[]): readonly SimulatedRun[] {
  const weight = ({ first }: SimulatedRun): number => (first?.tokensAfter ?? 0) * 1e-6 + (first?.callsAfter ?? 0);
  return runs
    .filter(({ first }) => first !== undefined)
    .toSorted((a, b) => weight(b) - weight(a))
    .slice(0, MAX_ROWS);
}

function topTable(runs: readonly SimulatedRun[], { whose, ...frame }: OwnFrame): readonly string[] {
  if (runs.length === 0) return [];
  const cells = runs.map(({ run, outcome, calls, first, stop }) => [
    cleanText(shortId(run)),
    outcome,
    first === undefined ? "" : `${first.what} at ${count(first.call)} by ${cleanText(first.by)}`,
    stop === undefined ? "" : `at ${count(stop.call)}`,
    `${count(first?.callsAfter ?? 0)} of ${count(calls)}`,
  ]);
  return [
    "",
    ...table(
      [
        { head: `${whose}run`, flexible: true },
        { head: "outcome", flexible: true },
        { head: "first intervention", flexible: true },
        { head: "stop" },
        { head: "calls after", right: true },
      ],
      cells,
      frame,
    ),
  ];
}
