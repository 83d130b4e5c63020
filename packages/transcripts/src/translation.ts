import { type DetectedFormat, detectSample, SAMPLE_LENGTH } from "./detect-format.ts";
import { unknownFormat } from "./errors.ts";
import { formats as allFormats } from "./formats.ts";
import { createRecordReader, type RecordReader, type ReadLimits } from "./parse/record-reader.ts";
import { createRunOpener } from "./write/run-opener.ts";
import { type Sample, sampleOf } from "./parse/sample.ts";
import { collectRuns, type Transcript, type TranscriptItem } from "./transcript.ts";
import type { TranscriptRecord, TranscriptFormat } from "./transcript-format.ts";
import { createReportCounter, type ReportCounter, type TranscriptReport } from "./transcript-report.ts";
import { membersFirst, splitPaths, walkDocument } from "./parse/walk-document.ts";

/** Options for reading a transcript. All optional. */
export interface TranslationOptions {
  /** The name of the format. @default detected by content */
  readonly format?: string;
  /** The id of runs whose transcript has none. @default "transcript" */
  readonly name?: string;
  /** The formats to choose from; add your own here. @default all formats of this package */
  readonly formats?: readonly TranscriptFormat[];
  readonly limits?: ReadLimits;
}

/** A streaming translation: push text, get items. */
export interface TranscriptTranslation {
  /** @throws UNKNOWN_FORMAT once there is enough text to tell. */
  readonly push: (text: string) => readonly TranscriptItem[];
  /** Call it at the end of the transcript. @throws UNKNOWN_FORMAT */
  readonly end: () => readonly TranscriptItem[];
  /** Counts damage found by the caller, such as a truncated gzip file. */
  readonly damaged: (why: string) => void;
  /** The format; `undefined` until it is detected. */
  readonly format: () => DetectedFormat | undefined;
  readonly report: () => TranscriptReport;
}

/**
 * Translates text as it arrives, in bounded memory: it buffers the beginning until the format is known, then at most a
 * line, an entry or a turn.
 */
export function createTranslation(options: TranslationOptions = {}): TranscriptTranslation {
  let held: string[] = [];
  let heldLength = 0;
  let work: Work | undefined;
  let reader: RecordReader | undefined;
  const damages: string[] = [];

  function begin(isWhole: boolean): Work {
    // Most transcripts are short and arrive as one text.
    const text = held.length === 1 ? (held[0] ?? "") : held.join("");
    held = [];
    const sample = sampleOf(text.slice(0, SAMPLE_LENGTH), { isWhole: isWhole && text.length <= SAMPLE_LENGTH });
    const { detected, counter, give, finish, take } = startWork(sample, options);
    reader = createRecordReader(sample.layout, {
      split: detected.split ?? [],
      first: detected.first ?? [],
      limits: options.limits ?? {},
      counter,
      give,
    });
    work = { detected, counter, give, finish, take };
    reader.begin(text, sample);
    return work;
  }

  return {
    push: (text) => {
      if (text === "") return [];
      if (work !== undefined) reader?.push(text);
      else {
        held.push(text);
        heldLength += text.length;
        if (heldLength >= SAMPLE_LENGTH) begin(false);
      }
      return work?.take() ?? [];
    },
    end: () => {
      const ending = work ?? begin(true);
      reader?.end();
      ending.finish();
      for (const why of damages) ending.counter.broken(why, "the file");
      return ending.take();
    },
    damaged: (why) => {
      damages.push(why);
    },
    format: () => work?.detected,
    report: () => (work?.counter ?? createReportCounter()).report(work?.detected.format.name ?? ""),
  };
}

function translateValue(value: unknown, options: TranslationOptions): Transcript {
  const { detected, counter, give, finish, take } = startWork(
    { layout: "document", values: [value], text: "", isWhole: true, isExact: true },
    options,
  );
  walkDocument(membersFirst(value, detected.first ?? []), splitPaths(detected.split ?? []), { give });
  finish();
  return { runs: collectRuns(take()), report: counter.report(detected.format.name) };
}

/**
 * Translates a transcript: its text, or the JSON value it stands for, such as saved messages, a parsed export, or the
 * values of a log.
 *
 * @example
 * const { runs, report } = parseTranscript(text);
 * @throws UNKNOWN_FORMAT
 */
export function parseTranscript(source: unknown, options: TranslationOptions = {}): Transcript {
  if (typeof source !== "string") return translateValue(source, options);
  const translation = createTranslation(options);
  const items = [...translation.push(source), ...translation.end()];
  return { runs: collectRuns(items), report: translation.report() };
}

interface Work {
  readonly detected: DetectedFormat;
  readonly counter: ReportCounter;
  readonly give: (record: TranscriptRecord) => void;
  readonly finish: () => void;
  /** Returns the items since the last call. */
  readonly take: () => readonly TranscriptItem[];
}

/** Chooses the format and starts its translator. */
function startWork(
  sample: Sample,
  { format: wanted, name = "transcript", formats = allFormats }: TranslationOptions,
): Work {
  const counter = createReportCounter();
  let items: TranscriptItem[] = [];
  const detected = chooseFormat(sample, { wanted, formats });
  const { format, variant } = detected;
  const runs = createRunOpener({ format: format.name, name, counter, emit: (item) => items.push(item) });
  const translator = format.translate({ runs, variant, skip: counter.skip, unknown: counter.unknown });
  const notUnderstood = (error: unknown, at: string): void => {
    counter.broken(`not understood: ${error instanceof Error ? error.message : String(error)}`, at);
  };
  return {
    detected,
    counter,
    give: (record) => {
      counter.add("records");
      counter.takeMark();
      try {
        translator.take(record);
      } catch (error) {
        notUnderstood(error, record.path.join("."));
      }
      if (!counter.takeMark()) counter.add("translated");
    },
    finish: () => {
      try {
        translator.end?.();
      } catch (error) {
        notUnderstood(error, "the end");
      }
      runs.closeAll();
    },
    take: () => {
      const taken = items;
      items = [];
      return taken;
    },
  };
}

function chooseFormat(
  sample: Sample,
  { wanted, formats }: { readonly wanted: string | undefined; readonly formats: readonly TranscriptFormat[] },
): DetectedFormat {
  const choice = wanted === undefined ? formats : formats.filter((format) => format.name === wanted);
  const [only] = choice;
  const names = formats.map((format) => format.name);
  if (only === undefined) throw unknownFormat(wanted, names);
  const detected =
    detectSample(sample, choice) ??
    (wanted === undefined ? undefined : { format: only, certainty: 0, split: usualSplit(sample) });
  if (detected === undefined) throw unknownFormat(undefined, names);
  return detected;
}

/** The usual place of messages, for a format given by name that does not recognize the transcript. */
function usualSplit({ layout, values: [first] }: Sample): readonly string[] {
  return layout === "lines" ? [] : Array.isArray(first) ? ["*"] : ["messages.*"];
}
