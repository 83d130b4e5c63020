import type { JSX } from "preact";
import { duration, tokens } from "../views/number-text.ts";
import type { Overview } from "../views/overview.ts";
import { DataTable } from "./data-table.tsx";
import { hrefOf } from "./route.ts";

const TOTAL = "all";
/** Longer names of phases get room of their own, at the price of a table that scrolls. */
const LONG_NAME = 20;

/** What was found, said and spent, as tables. */
export function FindingTables({ overview, run }: { readonly overview: Overview; readonly run: string }): JSX.Element {
  const { loops, nudges, gates, spend } = overview;
  const link = (seq: number): JSX.Element => <a href={hrefOf({ page: "run", run, seq })}>{seq}</a>;
  const unknown = (value: number | undefined): string => (value === undefined ? "?" : tokens(value));
  const corrections = nudges.filter(({ effect }) => effect !== "guidance");
  return (
    <div class="findings">
      <section aria-labelledby="loops-title">
        <h2 id="loops-title">Loops and findings</h2>
        {loops.length === 0 ? <p>None.</p> : (
          <DataTable
            caption="Loops and findings"
            rows={loops}
            keyOf={({ firstSeq, kind }) => `${kind}-${String(firstSeq)}`}
            columns={[
              { name: "Event", show: ({ firstSeq }) => link(firstSeq), number: true },
              { name: "What", show: ({ kind, severity }) => <span class={`severity-${severity}`}>{kind} <small>{severity}</small></span> },
              { name: "Times", show: ({ count }) => count, number: true },
              { name: "About", long: true, show: ({ subject, evidence }) => <>{subject}{evidence === undefined ? null : <small class="evidence">{evidence}</small>}</> },
              { name: "Phase", show: ({ phase }) => phase },
              { name: "Ended", show: ({ ended, lastSeq }) => <>{ended} at {link(lastSeq)}</> },
            ]}
          />
        )}
      </section>
      <section aria-labelledby="gates-title">
        <h2 id="gates-title">Gates and reviews</h2>
        {gates.length === 0 ? <p>Nothing was asked of a gate.</p> : (
          <DataTable
            caption="Gates and reviews"
            rows={gates}
            keyOf={({ seq }, index) => `${String(seq)}-${String(index)}`}
            columns={[
              { name: "Event", show: ({ seq }) => link(seq), number: true },
              { name: "Gate", show: ({ gate }) => gate },
              { name: "Verdict", show: ({ verdict, held }) => <span class={`verdict-${verdict}`}>{verdict}{held ? ", held the run back" : ""}</span> },
              { name: "Why", long: true, show: ({ text }) => text ?? "" },
            ]}
          />
        )}
      </section>
      <section aria-labelledby="nudges-title">
        <h2 id="nudges-title">Nudges</h2>
        {corrections.length === 0 ? <p>None.</p> : (
          <DataTable
            caption="Nudges and whether they helped"
            rows={corrections}
            keyOf={({ seq }, index) => `${String(seq)}-${String(index)}`}
            columns={[
              { name: "Event", show: ({ seq }) => link(seq), number: true },
              { name: "From", show: ({ policy }) => policy },
              { name: "Text", long: true, show: ({ text }) => text },
              { name: "Effect", show: ({ effect, applied }) => (applied ? effect : "not sent") },
            ]}
          />
        )}
      </section>
      <section aria-labelledby="spend-title">
        <h2 id="spend-title">Cost and waste by phase</h2>
        <DataTable
          caption="Cost and waste by phase"
          rows={spend.rows}
          foot={spend.total}
          keyOf={({ phase }) => phase}
          columns={[
            { name: "Phase", long: spend.rows.some(({ phase }) => phase.length > LONG_NAME), show: ({ phase, entries }) => (entries > 1 && phase !== TOTAL ? `${phase} (${String(entries)}×)` : phase) },
            { name: "Time", show: ({ elapsed }) => duration(elapsed), number: true },
            { name: "Turns", show: ({ turns }) => turns, number: true },
            { name: "Calls", show: ({ calls }) => calls, number: true },
            { name: "Failed", show: ({ errors }) => errors, number: true },
            { name: "Tokens in", show: ({ inputTokens }) => unknown(inputTokens), number: true },
            { name: "cached", show: ({ cachedTokens }) => unknown(cachedTokens), number: true },
            { name: "out", show: ({ outputTokens }) => unknown(outputTokens), number: true },
            { name: "Wasted", show: ({ wastedCalls }) => wastedCalls, number: true },
          ]}
        />
      </section>
    </div>
  );
}
