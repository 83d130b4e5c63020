import type { JSX } from "preact";
import { groupRows, type RowGroup } from "../views/group-rows.ts";
import { duration, money, tokens } from "../views/number-text.ts";
import type { Overview } from "../views/overview.ts";
import type { SpendRow } from "../views/spend-rows.ts";
import { DataTable } from "./data-table.tsx";
import { hrefOf } from "./route.ts";

const TOTAL = "all";
/** Longer phase names get a wide column; the table then scrolls. */
const LONG_NAME = 20;

/** Tables of alerts, gates, nudges and cost. Rows that say the same are one; sections without rows share one line. */
export function FindingTables({ overview, run }: { readonly overview: Overview; readonly run: string }): JSX.Element {
  const { loops, nudges, gates, spend } = overview;
  const link = (seq: number): JSX.Element => <a href={hrefOf({ page: "run", run, seq })}>{seq}</a>;
  const places = <T extends { readonly seq: number }>({ row, last, times }: RowGroup<T>): JSX.Element =>
    times === 1 ? (
      link(row.seq)
    ) : (
      <>
        {link(row.seq)} … {link(last.seq)}
      </>
    );
  const unknown = (value: number | undefined): string => (value === undefined ? "?" : tokens(value));
  const alertGroups = groupRows(
    loops.map((row) => ({ ...row, seq: row.firstSeq })),
    ({ kind, subject, phase, ended }) => JSON.stringify([kind, subject, phase, ended]),
  );
  const gateGroups = groupRows(gates, ({ gate, verdict, text, held }) => JSON.stringify([gate, verdict, text, held]));
  const nudgeGroups = groupRows(
    nudges.filter(({ effect }) => effect !== "guidance"),
    ({ policy, text, effect, applied }) => JSON.stringify([policy, text, effect, applied]),
  );
  const nothing = [
    ...(alertGroups.length === 0 ? ["no loops or alerts"] : []),
    ...(nudgeGroups.length === 0 ? ["no nudges"] : []),
    ...(gateGroups.length === 0 ? ["no gate was checked"] : []),
  ];
  return (
    <div class="findings">
      {alertGroups.length === 0 ? null : (
        <section aria-labelledby="loops-title">
          <h2 id="loops-title">Loops and other alerts</h2>
          <DataTable
            caption="Loops and other alerts"
            rows={alertGroups}
            keyOf={({ row }) => `${row.kind}-${String(row.firstSeq)}`}
            columns={[
              { name: "Event", show: places, number: true },
              {
                name: "What",
                show: ({ row: { kind, severity } }) => (
                  <span class={`severity-${severity}`}>
                    {kind} <small>{severity}</small>
                  </span>
                ),
              },
              {
                name: "Times",
                number: true,
                show: ({ row, times }) => (times === 1 ? row.count : `${String(times)} × ${String(row.count)}`),
              },
              {
                name: "About",
                long: true,
                show: ({ row: { subject, evidence } }) => (
                  <>
                    {subject}
                    {evidence === undefined ? null : <small class="evidence">{evidence}</small>}
                  </>
                ),
              },
              { name: "Phase", show: ({ row: { phase } }) => phase },
              {
                name: "Ended",
                show: ({ row: { ended }, last: { lastSeq } }) => (
                  <>
                    {ended} at {link(lastSeq)}
                  </>
                ),
              },
            ]}
          />
        </section>
      )}
      {nudgeGroups.length === 0 ? null : (
        <section aria-labelledby="nudges-title">
          <h2 id="nudges-title">Nudges</h2>
          <DataTable
            caption="Nudges and their effect"
            rows={nudgeGroups}
            keyOf={({ row: { seq } }, index) => `${String(seq)}-${String(index)}`}
            columns={[
              { name: "Event", show: places, number: true },
              { name: "Times", show: ({ times }) => times, number: true },
              { name: "From", show: ({ row: { policy } }) => policy },
              { name: "Text", long: true, show: ({ row: { text } }) => text },
              { name: "Effect", show: ({ row: { effect } }) => effect },
            ]}
          />
        </section>
      )}
      {gateGroups.length === 0 ? null : (
        <section aria-labelledby="gates-title">
          <h2 id="gates-title">Gates and reviews</h2>
          <DataTable
            caption="Gates and reviews"
            rows={gateGroups}
            keyOf={({ row: { seq } }, index) => `${String(seq)}-${String(index)}`}
            columns={[
              { name: "Event", show: places, number: true },
              { name: "Times", show: ({ times }) => times, number: true },
              { name: "Gate", show: ({ row: { gate } }) => gate },
              {
                name: "Verdict",
                show: ({ row: { verdict, held } }) => (
                  <span class={`verdict-${verdict}`}>
                    {verdict}
                    {held ? ", blocked the run" : ""}
                  </span>
                ),
              },
              { name: "Why", long: true, show: ({ row: { text } }) => text ?? "" },
            ]}
          />
        </section>
      )}
      {nothing.length === 0 ? null : <p class="quiet nothing">{`Nothing to show: ${nothing.join(", ")}.`}</p>}
      <section aria-labelledby="spend-title" class="wide">
        <h2 id="spend-title">Cost and waste by phase</h2>
        <DataTable
          caption="Cost and waste by phase"
          rows={spend.rows}
          foot={spend.total}
          keyOf={({ phase }) => phase}
          columns={[
            {
              name: "Phase",
              long: spend.rows.some(({ phase }) => phase.length > LONG_NAME),
              show: ({ phase, entries }) => (entries > 1 && phase !== TOTAL ? `${phase} (${String(entries)}×)` : phase),
            },
            { name: "Time", show: ({ elapsed }) => duration(elapsed), number: true },
            { name: "Turns", show: ({ turns }) => turns, number: true },
            { name: "Calls", show: ({ calls }) => calls, number: true },
            { name: "Failed", show: ({ errors }) => errors, number: true },
            { name: "Tokens in", show: ({ inputTokens }) => unknown(inputTokens), number: true },
            { name: "cached", show: ({ cachedTokens }) => unknown(cachedTokens), number: true },
            { name: "out", show: ({ outputTokens }) => unknown(outputTokens), number: true },
            ...(spend.total.cost === undefined
              ? []
              : [
                  {
                    name: "Cost",
                    number: true,
                    show: ({ cost }: SpendRow) => (cost === undefined ? "?" : money(cost)),
                  },
                ]),
            { name: "Wasted calls", show: ({ wastedCalls }) => wastedCalls, number: true },
          ]}
        />
      </section>
    </div>
  );
}
