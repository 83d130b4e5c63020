import { processTerminal } from "@phasekit/tooling/progress";
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { measureSizes } from "@phasekit/tooling/measure-sizes";
import { writeFigures } from "@phasekit/tooling/write-figures";
import { isMet, type MeasuredComparison } from "./comparison.ts";
import { parts } from "./parts.ts";
import { type BenchOptions, readOptions } from "./read-options.ts";
import { renderPage } from "./render-page.ts";
import { type ChosenPart, countRows, runComparisons } from "./run-comparisons.ts";

// `pnpm bench [<part> ...]`: measures ratios and prints each row when it is measured. bench/README.md lists the parts.

const options = readOptions(process.argv.slice(2));
if (options.kind === "help") console.log(options.text);
else if (options.kind === "mistake") {
  console.error(options.text);
  process.exitCode = 2;
} else await bench(options);

async function bench({ names, json, strict, write }: Extract<BenchOptions, { kind: "run" }>): Promise<void> {
  const chosen: ChosenPart[] = [];
  for (const name of names) chosen.push({ name, comparisons: (await parts[name]?.load()) ?? [] });
  const measured: MeasuredComparison[] = [];
  const isInterrupted = await runWithProgress(
    // With --json, stdout is for the data alone.
    { total: countRows(chosen), unit: "rows", terminal: processTerminal(json ? { out: process.stderr } : {}) },
    (progress, signal) => runComparisons(chosen, { progress, measured, signal }),
  );
  const results = measured.flatMap((comparison) => comparison.results);
  if (json) {
    const tested = results.map((result) => ({ ...result, met: isMet(result) }));
    console.log(
      JSON.stringify({ node: process.version, isInterrupted, results: tested, comparisons: measured }, undefined, 2),
    );
  } else if (write && !isInterrupted) {
    writeFigures("docs/performance.md", renderPage(measured, await measureSizes()));
    console.log("\nWrote docs/performance.md.");
  } else if (!isInterrupted)
    console.log(`\nRatios, measured side by side in one run; times depend on the machine (node ${process.version}).`);
  const isOver = strict && results.some((result) => isMet(result) === false);
  if (isOver || measured.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  if (isInterrupted) exitInterrupted();
}
