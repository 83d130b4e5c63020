// Compares the answers of Phasekit about real sessions with those of careful readers, and prints a table.
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareSession, letters, type SessionDetails } from "./compare-session.ts";
import { findSessions, labelFiles, readLabels } from "./label.ts";
import { createScore, orderRows, type Score, shortName } from "./score.ts";

const USAGE =
  "Usage: pnpm sessions [--data <folder of *.gz logs>] [--labels a.json,b.json] [--json] [--explain <part of a file name>]";

const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    labels: { type: "string" },
    explain: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (options.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const folder = findSessions(options.data);
  if (folder === undefined) {
    console.log(
      "There are no labelled sessions. They are not part of the repository: --data or PHASEKIT_DATA names their folder.",
    );
    return;
  }
  const { explain = "" } = options;
  const labels = readLabels(options.labels?.split(",") ?? labelFiles(folder)).filter(({ file }) =>
    file.includes(explain),
  );
  const temp = mkdtempSync(join(tmpdir(), "sessions-"));
  const score = createScore();
  const details: SessionDetails[] = [];
  const problems: string[] = [];
  const stopped = await runWithProgress({ total: labels.length, unit: "sessions" }, async (progress) => {
    for (const [index, label] of labels.entries()) {
      progress.now(shortName(label.file));
      await progress.pause(index, labels.length);
      try {
        const compared = await compareSession(label, { folder, temp, score });
        details.push(compared);
        problems.push(...compared.problems.map((text) => `${shortName(label.file)}: ${text}`));
      } catch (error) {
        problems.push(`${shortName(label.file)}: ${error instanceof Error ? error.message : String(error)}`);
      }
      progress.count();
    }
  });
  rmSync(temp, { recursive: true, force: true });
  const counts = `${String(details.length)} of ${String(labels.length)} labelled sessions scored`;
  if (options.json) console.log(JSON.stringify({ counts, rows: orderRows(score), problems }));
  else if (options.explain === undefined) console.log([counts, "", ...renderTable(score)].join("\n"));
  else for (const { file, lines } of details) console.log([`# ${file}`, ...lines, ""].join("\n"));
  if (problems.length > 0) console.log(`\nNot scored, or in part\n${problems.map((text) => `  ${text}`).join("\n")}`);
  if (stopped) exitInterrupted();
  if (details.length === 0) process.exitCode = 1;
}

function renderTable(score: Score): readonly string[] {
  const rows = orderRows(score);
  const line = (name: string, cells: readonly (string | number)[]): string =>
    name.padEnd(38) + cells.map((cell) => String(cell).padStart(7)).join("");
  return [
    line("", ["n", "right", "wrong", "%"]),
    ...rows.map(({ name, n, right, aside, isPart }) =>
      line(isPart ? `  ${name}` : name, aside ? [n, "", "", ""] : [n, right, n - right, Math.round((100 * right) / n)]),
    ),
    ...renderMatrix(score),
    ...rows
      .filter(({ list }) => list.length > 0)
      .flatMap(({ name, aside, list }) => [
        "",
        `${name}: ${aside ? "not counted" : "wrong"} (${String(list.length)})`,
        ...list.map((text) => `  ${text}`),
      ]),
  ];
}

function renderMatrix({ matrix }: Score): readonly string[] {
  const group = (activity: string): string => letters.get(activity) ?? "Z";
  const activities = [...new Set([...matrix.values()].flatMap((cells) => [...cells.keys()]))].sort(
    (a, b) => group(a).localeCompare(group(b)) || a.localeCompare(b),
  );
  const heading = (activity: string): string =>
    `${activity}${letters.has(activity) ? `:${group(activity)}` : ""}`.padStart(12);
  return [
    "",
    "activity per call: rows are the reader's letters, columns the product's words (and the letter they count as)",
    "    " + activities.map(heading).join(""),
    ...["E", "P", "A", "V", "D", "W", "S", "O"].flatMap((letter) => {
      const cells = matrix.get(letter);
      if (cells === undefined) return [];
      return [letter.padEnd(4) + activities.map((each) => String(cells.get(each) ?? ".").padStart(12)).join("")];
    }),
  ];
}
