import { tableOf } from "@phasekit/core/adapter";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { cleanText } from "../clean-text.ts";
import { writePrivateFile } from "../config/private-folder.ts";
import { fileExists } from "../errors.ts";
import { costCell } from "../render/cost-text.ts";
import { plural, tokens } from "../render/numbers.ts";
import type { UsageSum } from "./sum-usage.ts";

/** The contents of the page. */
export interface UsagePage {
  readonly by: string;
  readonly rows: readonly UsageSum[];
  readonly all: UsageSum;
  /** For the chart, in their order. */
  readonly days: readonly UsageSum[];
  /** Where the prices come from. */
  readonly source: string;
}

const MARK = '<meta name="generator" content="phasekit usage">';
const WIDTH = 960;
const HEIGHT = 200;
const DAY_MS = 86_400_000;
/** More days than this are drawn as weeks would be too thin: the newest ones are shown. */
const MAX_DAYS = 180;

/**
 * Writes a page with the sums and a chart of the cost of each day. Loads nothing and runs no script.
 * @throws FILE_EXISTS
 */
export function writeUsagePage(path: string, page: UsagePage): Promise<void> {
  if (existsSync(path) && !readFileSync(path, "utf8").includes(MARK)) throw fileExists(basename(path));
  writePrivateFile(path, renderUsagePage(page));
  return Promise.resolve();
}

/** Renders the page. */
function renderUsagePage({ by, rows, all, days, source }: UsagePage): string {
  const first = days[0]?.key ?? "";
  const last = days.at(-1)?.key ?? "";
  const head = [by, "Runs", "Input", "Output", "To cache", "Cached", "Tokens", "Cost"];
  const cells = ({ key, runs, input, output, cacheWrite, cacheRead, tokens: sum, cost }: UsageSum): string =>
    [key, String(runs), ...[input, output, cacheWrite, cacheRead, sum].map(tokens), costCell(cost)]
      .map((text, index) => (index === 0 ? `<th scope="row">${html(text)}</th>` : `<td>${html(text)}</td>`))
      .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
${MARK}
<title>Usage of agents</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Usage of agents</h1>
<p class="lead">${html(first)} to ${html(last)}, ${html(plural(all.runs, "run"))}. Cost at ${html(source)}.</p>
<dl>
<div><dt>Cost</dt><dd>${html(costCell(all.cost) || "unknown")}</dd></div>
<div><dt>Tokens</dt><dd>${html(tokens(all.tokens))}</dd></div>
<div><dt>Runs</dt><dd>${html(String(all.runs))}</dd></div>
<div><dt>Read from cache</dt><dd>${html(share(all))}</dd></div>
</dl>
<h2>Cost by day</h2>
${chart(days)}
<h2>By ${html(by)}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Usage by ${html(by)}">
<table>
<thead><tr>${head.map((text) => `<th scope="col">${html(text)}</th>`).join("")}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${cells(row)}</tr>`).join("\n")}
</tbody>
<tfoot><tr>${cells({ ...all, key: "Total" })}</tr></tfoot>
</table>
</div>
</main>
</body>
</html>
`;
}

/** A bar for each day, also for those without usage, so that the axis is one of time. */
function chart(days: readonly UsageSum[]): string {
  const known = days.filter(({ key }) => /^\d{4}-/.test(key));
  const byDay = new Map(known.map((sum) => [sum.key, sum]));
  const times = known.map(({ key }) => Date.parse(key));
  const end = Math.max(...times);
  const start = Math.max(Math.min(...times), end - (MAX_DAYS - 1) * DAY_MS);
  const count = Math.round((end - start) / DAY_MS) + 1;
  if (!Number.isFinite(count)) return "<p>No answer has a time.</p>";
  const most = Math.max(...known.map(({ cost }) => cost.usd ?? 0));
  const step = WIDTH / count;
  const bars = Array.from({ length: count }, (_, index) => {
    const key = new Date(start + index * DAY_MS).toISOString().slice(0, 10);
    const sum = byDay.get(key);
    const usd = sum?.cost.usd ?? 0;
    if (sum === undefined || most === 0) return "";
    const height = Math.max(2, (usd / most) * HEIGHT);
    const words = [costCell(sum.cost) || "no cost known", `${tokens(sum.tokens)} tokens`, plural(sum.runs, "run")];
    const width = Math.max(1, Math.min(step - 1, 40));
    const place = { x: index * step, y: HEIGHT - height, width, height };
    const attributes = Object.entries(place).map(([name, value]) => ` ${name}="${value.toFixed(1)}"`);
    return `<rect${attributes.join("")}><title>${html(`${key}: ${words.join(", ")}`)}</title></rect>`;
  });
  const grid = [1, 0.5].map(
    (part) =>
      `<line x1="0" x2="${String(WIDTH)}" y1="${String(HEIGHT * (1 - part))}" y2="${String(HEIGHT * (1 - part))}"/>`,
  );
  const total = costCell({ ...(days[0]?.cost ?? { models: [] }), usd: most, unpricedCalls: 0, unknownCalls: 0 });
  const day = (at: number): string => `<span>${new Date(at).toISOString().slice(0, 10)}</span>`;
  const label = html(`Cost by day, at most ${total}; the table has the numbers`);
  const box = `viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" preserveAspectRatio="none"`;
  return `<figure>
<svg ${box} role="img" aria-label="${label}">
<g class="grid">${grid.join("")}</g>
<g class="bars">${bars.join("")}</g>
</svg>
<figcaption>${day(start)}<span>highest: ${html(total)}</span>${day(end)}</figcaption>
</figure>`;
}

function share({ cacheRead, input, cacheWrite }: UsageSum): string {
  const all = cacheRead + input + cacheWrite;
  return all === 0 ? "–" : `${String(Math.round((100 * cacheRead) / all))} % of input`;
}

const ENTITIES: Readonly<Record<string, string>> = tableOf({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});
const html = (text: string): string => cleanText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1c1e21;
  --dim: #5b6168;
  --line: #d9dce0;
  --back: #fff;
  --card: #f6f7f8;
  --bar: #2f6fde;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e8eaed;
    --dim: #a3a9b1;
    --line: #3a3f45;
    --back: #16181b;
    --card: #1f2226;
    --bar: #7aa7f7;
  }
}
* {
  box-sizing: border-box;
}
body {
  margin: 0;
  background: var(--back);
  color: var(--text);
  font:
    15px/1.5 system-ui,
    sans-serif;
}
main {
  max-width: 1024px;
  margin: 0 auto;
  padding: 32px 16px;
}
h1 {
  margin: 0;
  font-size: 26px;
}
h2 {
  margin: 32px 0 8px;
  font-size: 17px;
}
.lead {
  margin: 4px 0 20px;
  color: var(--dim);
}
dl {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
  gap: 12px;
  margin: 0;
}
dl div {
  padding: 12px 16px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--card);
}
dt {
  color: var(--dim);
  font-size: 13px;
}
dd {
  margin: 0;
  font-size: 21px;
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}
figure {
  margin: 0;
}
svg {
  display: block;
  width: 100%;
  height: 200px;
  border-bottom: 1px solid var(--line);
}
.grid line {
  stroke: var(--line);
  stroke-dasharray: 2 4;
  vector-effect: non-scaling-stroke;
}
.bars rect {
  fill: var(--bar);
}
figcaption {
  display: flex;
  justify-content: space-between;
  color: var(--dim);
  font-size: 13px;
}
.scroll {
  overflow-x: auto;
}
table {
  width: 100%;
  border-collapse: collapse;
  font-variant-numeric: tabular-nums;
  white-space: nowrap;
}
th,
td {
  padding: 6px 10px;
  border-bottom: 1px solid var(--line);
  text-align: right;
}
th:first-child {
  text-align: left;
}
thead th {
  color: var(--dim);
  font-size: 13px;
  font-weight: 600;
}
thead th::first-letter {
  text-transform: uppercase;
}
tbody th {
  font-weight: 400;
}
tfoot th,
tfoot td {
  font-weight: 700;
}
@media print {
  main {
    padding: 0;
  }
}
`;
