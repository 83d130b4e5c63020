/** Number of records by kind. */
type CountByKind = Readonly<Record<string, number>>;

/** Counts of all records of a transcript: translated, skipped, unknown or broken. */
export interface TranscriptReport {
  readonly format: string;
  /** Lines of a log, entries of a document; blank lines do not count. */
  readonly records: number;
  /** Records that became events. */
  readonly translated: number;
  /** Known records without information about a run. */
  readonly skipped: CountByKind;
  /** Records, and parts of records, that the format does not know. */
  readonly unknown: CountByKind;
  /** Unreadable records by cause: broken JSON, too long, not understood. */
  readonly broken: CountByKind;
  /** The first few broken records with their place: the line, or the path in the document. */
  readonly brokenAt: readonly { readonly at: string; readonly why: string }[];
  /** Records recovered from damaged lines. */
  readonly recovered: number;
  readonly runs: number;
  readonly childRuns: number;
  readonly answers: number;
  /** Answers whose usage is known. */
  readonly answersWithUsage: number;
  /** Calls in the events: the sum of `results` and `unanswered`. */
  readonly calls: number;
  readonly results: number;
  /** Calls without a result in the transcript. */
  readonly unanswered: number;
  /** Results without a call in the transcript. The events have a call for each of them. */
  readonly orphans: number;
  /** Runs whose transcript says how they ended. */
  readonly endings: number;
  /** Runs with an external verdict. */
  readonly judged: number;
}

type Tally =
  | "records"
  | "translated"
  | "recovered"
  | "runs"
  | "childRuns"
  | "answers"
  | "answersWithUsage"
  | "calls"
  | "results"
  | "unanswered"
  | "orphans"
  | "endings"
  | "judged";

/** Counts for a report while a transcript is read. */
export interface ReportCounter {
  readonly add: (tally: Tally, by?: number) => void;
  readonly skip: (kind: string) => void;
  readonly unknown: (kind: string) => void;
  readonly broken: (why: string, at: string) => void;
  /** True if a record was skipped, unknown or broken since the last call. */
  readonly takeMark: () => boolean;
  readonly report: (format: string) => TranscriptReport;
}

const MAX_KINDS = 200;
const MAX_BROKEN = 20;

/** A counter at zero. */
export function createReportCounter(): ReportCounter {
  const tallies: Record<Tally, number> = {
    records: 0,
    translated: 0,
    recovered: 0,
    runs: 0,
    childRuns: 0,
    answers: 0,
    answersWithUsage: 0,
    calls: 0,
    results: 0,
    unanswered: 0,
    orphans: 0,
    endings: 0,
    judged: 0,
  };
  const skipped = new Map<string, number>();
  const unknown = new Map<string, number>();
  const broken = new Map<string, number>();
  const brokenAt: { readonly at: string; readonly why: string }[] = [];
  let marked = false;
  const count = (kinds: Map<string, number>, kind: string): void => {
    marked = true;
    const short = kinds.has(kind) ? kind : plainName(kind);
    const name = kinds.has(short) || kinds.size < MAX_KINDS ? short : "(others)";
    kinds.set(name, (kinds.get(name) ?? 0) + 1);
  };
  return {
    add: (tally, by = 1) => {
      tallies[tally] += by;
    },
    skip: (kind) => count(skipped, kind),
    unknown: (kind) => count(unknown, kind),
    broken: (why, at) => {
      count(broken, why);
      if (brokenAt.length < MAX_BROKEN) brokenAt.push({ at: plainName(at), why: plainName(why) });
    },
    takeMark: () => {
      const was = marked;
      marked = false;
      return was;
    },
    report: (format) => ({
      format,
      ...tallies,
      skipped: Object.fromEntries(skipped),
      unknown: Object.fromEntries(unknown),
      broken: Object.fromEntries(broken),
      brokenAt: [...brokenAt],
    }),
  };
}

/** Names come from the transcript: clips them and replaces control characters. */
function plainName(name: string): string {
  // eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
  return name.slice(0, 80).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "?");
}

/** Renders the report as lines of text. */
export function renderTranscriptReport(report: TranscriptReport): string {
  const {
    format,
    records,
    translated,
    recovered,
    runs,
    childRuns,
    calls,
    results,
    unanswered,
    orphans,
    answers,
    answersWithUsage,
  } = report;
  const lines = [
    [
      `${format}: ${counted(records, "record")}`,
      `${String(translated)} translated`,
      `${String(total(report.skipped))} skipped`,
      `${String(total(report.unknown))} unknown`,
      `${String(total(report.broken))} broken`,
    ].join(", "),
    `  ${counted(runs, "run")}${childRuns > 0 ? `, ${String(childRuns)} of them by sub-agents` : ""}; ` +
      `${counted(answers, "answer")}, ${String(answersWithUsage)} with usage`,
    [
      `  ${counted(calls, "call")}`,
      counted(results, "result"),
      ...(unanswered > 0 ? [`${counted(unanswered, "call")} without a result`] : []),
      ...(orphans > 0 ? [`${counted(orphans, "result")} without a call`] : []),
    ].join(", "),
    ...(recovered > 0 ? [`  ${counted(recovered, "record")} recovered from damaged lines`] : []),
    ...kinds("skipped", report.skipped),
    ...kinds("unknown", report.unknown),
    ...kinds("broken", report.broken),
    ...report.brokenAt.map(({ at, why }) => `    ${at}: ${why}`),
  ];
  return lines.join("\n");
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function total(counts: CountByKind): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function kinds(title: string, counts: CountByKind): readonly string[] {
  const sorted = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return sorted.length === 0
    ? []
    : [`  ${title}: ${sorted.map(([kind, count]) => `${kind} ${String(count)}`).join(", ")}`];
}
