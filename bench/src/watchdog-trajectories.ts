import { createRun, nameTableInterpreter, type RunEvent } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { watchdog } from "@phasekit/watchdog";
import { readFileSync } from "node:fs";
import { type RecordedRun, readRecordedRuns, trajectoryFolder } from "./recorded-runs.ts";

/** The alerts of one recorded run. */
export interface WatchedRun {
  readonly run: string;
  readonly outcome: string;
  readonly calls: number;
  readonly alerts: readonly {
    readonly kind: string;
    readonly call: number;
    readonly count: number;
    readonly subject: string;
  }[];
  /** Calls made while an alert was open, and the tokens of their results at four characters each. */
  readonly wastedCalls: number;
  readonly wastedTokens: number;
  /** Calls between the first alert and the end. */
  readonly lead: number | undefined;
}

/** Plays the recorded runs through the watchdog; `undefined` when the data is not there. */
export function watchTrajectories(): readonly WatchedRun[] | undefined {
  const folder = trajectoryFolder();
  if (folder === undefined) return undefined;
  const labels = JSON.parse(readFileSync(`${folder}/labels.json`, "utf8")) as Readonly<
    Record<string, { readonly outcome?: string }>
  >;
  return readRecordedRuns(folder).map((recorded) => watch(recorded, labels));
}

function watch(recorded: RecordedRun, labels: Readonly<Record<string, { readonly outcome?: string }>>): WatchedRun {
  const run = createRun({
    interpret: [nameTableInterpreter(), reading()],
    policies: [watchdog()],
    clock: () => 0,
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  const { name: file, agent, calls } = recorded;
  const name = `${agent}/${file}`;
  const alerts: { kind: string; call: number; count: number; subject: string }[] = [];
  let wastedCalls = 0;
  let wastedTokens = 0;
  for (const [index, { tool, input, output, failed, exitCode }] of calls.entries()) {
    const seen = log.length;
    run.record({
      type: "tool.finished",
      tool,
      input,
      output,
      outcome: failed ? "error" : "ok",
      ...(exitCode !== undefined && { exitCode }),
    });
    for (const event of log.slice(seen)) {
      if (event.type === "alert.raised")
        alerts.push({
          kind: event.kind,
          call: index + 1,
          count: event.count,
          subject: (event.subject ?? event.signature).slice(0, 80),
        });
    }
    if (run.view.alerts.size === 0) continue;
    wastedCalls += 1;
    wastedTokens += Math.ceil((typeof output === "string" ? output.length : JSON.stringify(output ?? "").length) / 4);
  }
  const first = alerts[0]?.call;
  const label = Object.keys(labels).find((file) => name.startsWith(file));
  return {
    run: name,
    outcome: (label === undefined ? undefined : labels[label]?.outcome) ?? "unknown",
    calls: calls.length,
    alerts,
    wastedCalls,
    wastedTokens,
    lead: first === undefined ? undefined : calls.length - first,
  };
}

/** The report as text: alerts per run by outcome, waste, lead, and alerts by kind. */
export function renderWatched(runs: readonly WatchedRun[]): string {
  const outcomes = [...new Set(runs.map(({ outcome }) => outcome))].toSorted();
  const rows = outcomes.map((outcome) => {
    const some = runs.filter((run) => run.outcome === outcome);
    const calls = sum(some, (run) => run.calls);
    const alarmed = some.filter(({ alerts }) => alerts.length > 0);
    const leads = alarmed.map(({ lead = 0 }) => lead).toSorted((a, b) => a - b);
    return [
      outcome,
      some.length,
      calls,
      alarmed.length,
      sum(some, (run) => run.alerts.length),
      (sum(some, (run) => run.alerts.length) / some.length).toFixed(2),
      sum(some, (run) => run.wastedCalls),
      `${((100 * sum(some, (run) => run.wastedCalls)) / Math.max(1, calls)).toFixed(1)} %`,
      sum(some, (run) => run.wastedTokens),
      leads[leads.length >> 1] ?? "-",
    ];
  });
  const kinds = new Map<string, number>();
  for (const { alerts } of runs) for (const { kind } of alerts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return [
    "| outcome | runs | calls | runs with alerts | alerts | alerts per run | calls in loops | share | tokens in loops | median lead |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `Alerts by kind: ${[...kinds]
      .toSorted(([, a], [, b]) => b - a)
      .map(([kind, count]) => `${kind} ${String(count)}`)
      .join(", ")}.`,
  ].join("\n");
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
