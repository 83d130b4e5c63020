import { gzipSync } from "node:zlib";
import type { Redactor, RunEvent } from "@phasekit/core";
import { redactSecrets } from "@phasekit/ledger";
import { plural } from "../views/number-text.ts";
import type { Overview } from "../views/overview.ts";
import { pricedOverview, type ReportPrices } from "../views/priced-overview.ts";
import type { RunAbout } from "../views/run-line.ts";
import { type PageIndex, pageHtml } from "./page-html.ts";
import { createShareFilter, type ShareFilter } from "./share-run.ts";
import { emptyReport, notRuns } from "../errors.ts";

export interface ReportOptions {
  /** @default the task of the run, or the number of runs */
  readonly title?: string;
  /** Removes secrets from the page; `false` shows everything as stored. @default redactSecrets() */
  readonly redact?: Redactor | false;
  /** Prices for model calls whose log reports no cost. @default none: their cost is unknown */
  readonly prices?: ReportPrices;
  /** Returns what the caller knows about a run: its tool and its project. @default none */
  readonly describeRun?: (run: string) => RunAbout | undefined;
  /**
   * Makes a page for other people: without prompts, answers, inputs and outputs of tools, and names of files, runs and
   * projects. Secrets are removed even if `redact` is false. @default false
   */
  readonly share?: boolean;
  /** Opens with a comparison of the first two runs. @default false */
  readonly compare?: boolean;
}

export interface FolderReportOptions extends Omit<ReportOptions, "compare"> {
  /** Size limit of `index.html` in bytes; further runs get their own files. @default 20_000_000 */
  readonly maxBytes?: number;
}

const PART = 1000;
const MAX_BYTES = 20_000_000;

/**
 * Renders one or more runs as one self-contained HTML file. It opens from disk and loads nothing.
 *
 * @param runs The logs, each starting with `run.started`.
 * @example
 * await writeFile("report.html", renderReport([await readRun(store, id)]));
 * @throws EMPTY_REPORT if there is no run, or a log does not start with `run.started`
 * @throws NOT_RUNS if the argument is not a list of runs
 */
export function renderReport(
  runs: readonly (readonly RunEvent[])[],
  { title, compare = false, share = false, ...options }: ReportOptions = {},
): string {
  // Logs often come from JSON.parse, without types.
  if (!Array.isArray(runs) || !runs.every((events) => Array.isArray(events))) throw notRuns();
  const sharing = share ? createShareFilter() : undefined;
  const packed = withOwnIds(runs).map((events) => packRun(events, options, sharing));
  const [first, second] = packed;
  if (first === undefined) throw emptyReport();
  const index: PageIndex = {
    title: share ? titleOf(packed) : (title ?? titleOf(packed)),
    live: false,
    runs: packed.map(({ overview }) => ({ line: overview.line })),
    ...removedIn(sharing),
    ...(compare && second !== undefined && { compare: [first.overview.line.run, second.overview.line.run] as const }),
  };
  return pageHtml(index, partsOf(packed));
}

/** Collects runs one after the other, so that a large folder does not have to fit in memory. */
export interface FolderReport {
  /** Throws `EMPTY_REPORT` if the log does not start with `run.started`. */
  readonly add: (events: readonly RunEvent[]) => void;
  /** Returns the content of each file by name. Throws `EMPTY_REPORT` without runs. */
  readonly files: () => ReadonlyMap<string, string>;
}

/**
 * Creates a report of many runs: `index.html`, and separate files for runs that would make it too large.
 *
 * @example
 * const report = createFolderReport();
 * for (const { run } of await store.list()) report.add(await readRun(store, run));
 * for (const [name, text] of report.files()) await writeFile(join("report", name), text);
 */
export function createFolderReport({
  title,
  maxBytes = MAX_BYTES,
  share = false,
  ...options
}: FolderReportOptions = {}): FolderReport {
  const sharing = share ? createShareFilter() : undefined;
  const beside = new Map<string, string>();
  const inside: PackedRun[] = [];
  const others: PageIndex["runs"][number][] = [];
  let bytes = 0;
  return {
    add: (events) => {
      const packed = packRun(events, options, sharing);
      const { line } = packed.overview;
      if (bytes + packed.bytes <= maxBytes) {
        bytes += packed.bytes;
        inside.push(packed);
        return;
      }
      const href = `runs/run-${String(others.length + 1)}.html`;
      others.push({ line, href });
      const index = { title: line.title, live: false, runs: [{ line }], ...removedIn(sharing) };
      beside.set(href, pageHtml(index, partsOf([packed])));
    },
    files: () => {
      // The page finds the parts of a run by its index, so the runs inside come first.
      const runs = [...inside.map(({ overview }) => ({ line: overview.line })), ...others];
      if (runs.length === 0) throw emptyReport();
      const name = plural(runs.length, "run");
      const index: PageIndex = { title: share ? name : (title ?? name), live: false, runs, ...removedIn(sharing) };
      return new Map([["index.html", pageHtml(index, partsOf(inside))], ...beside]);
    },
  };
}

const removedIn = (sharing: ShareFilter | undefined): Pick<PageIndex, "removed"> =>
  sharing === undefined ? {} : { removed: sharing.removed() };

/** Makes run ids unique: a report may show one run under two policies. */
function withOwnIds(runs: readonly (readonly RunEvent[])[]): readonly (readonly RunEvent[])[] {
  const seen = new Map<string, number>();
  return runs.map((events) => {
    const [header, ...rest] = events;
    if (header?.type !== "run.started") return events;
    const times = (seen.get(header.run) ?? 0) + 1;
    seen.set(header.run, times);
    return times === 1 ? events : [{ ...header, run: `${header.run} (${String(times)})` }, ...rest];
  });
}

interface PackedRun {
  readonly overview: Overview;
  /** The overview and the events, compressed and in base64. */
  readonly parts: readonly (readonly [name: string, data: string])[];
  readonly bytes: number;
}

function packRun(
  stored: readonly RunEvent[],
  { redact: given = redactSecrets(), prices, describeRun }: Pick<ReportOptions, "redact" | "prices" | "describeRun">,
  sharing: ShareFilter | undefined,
): PackedRun {
  const redact = given === false && sharing !== undefined ? redactSecrets() : given;
  const [header] = stored;
  if (header?.type !== "run.started") throw emptyReport();
  const clean = redact === false ? stored : stored.map((event) => redact(event as never) as unknown as RunEvent);
  const events = sharing?.share(clean) ?? clean;
  const known = describeRun?.(header.run) ?? {};
  const about =
    sharing === undefined
      ? known
      : { tool: known.tool, project: known.project === undefined ? "" : sharing.nameProject(known.project) };
  const overview = pricedOverview(events, { prices, about });
  const parts: (readonly [string, string])[] = [["overview", pack(JSON.stringify(overview))]];
  for (let from = 0, part = 0; from < events.length; from += PART, part += 1) {
    parts.push([
      `events-${String(part)}`,
      pack(
        events
          .slice(from, from + PART)
          .map((event) => JSON.stringify(event))
          .join("\n"),
      ),
    ]);
  }
  return { overview, parts, bytes: parts.reduce((sum, [, data]) => sum + data.length, 0) };
}

const pack = (text: string): string => gzipSync(text, { level: 9 }).toString("base64");

function* partsOf(runs: readonly PackedRun[]): Generator<readonly [string, string]> {
  for (const [number, { parts }] of runs.entries())
    for (const [name, data] of parts) yield [`run-${String(number)}-${name}`, data];
}

function titleOf(runs: readonly PackedRun[]): string {
  const [only] = runs;
  return runs.length === 1 && only !== undefined ? only.overview.line.title : plural(runs.length, "run");
}
