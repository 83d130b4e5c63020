import type { Sample } from "./parse/sample.ts";
import type { RunOpener } from "./write/run-opener.ts";
import type { ReportCounter } from "./transcript-report.ts";

/** A record of a transcript, in order: the value of a line, an entry of a list, a member of a document. */
export interface TranscriptRecord {
  /** Its place: line numbers and indexes as numbers, members by name. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** The match of a format with a transcript. */
export interface FormatMatch {
  /** From 0 to 1. The most certain format wins; on a tie, the first in the list. */
  readonly certainty: number;
  /**
   * The lists of a document to split into records, as paths with `*` for any index or member: `messages.*`. Values
   * outside these paths are one record each. In a log of lines the first step is the line. @default no splitting
   */
  readonly split?: readonly string[];
  /**
   * Members of a document to read before the rest, such as the task, if the document is short enough to be read as a
   * whole. @default the order of the document
   */
  readonly first?: readonly string[];
  /** The variant of the transcript, for formats with several. */
  readonly variant?: string;
}

/** Inputs of a translator. */
export interface TranslationContext {
  /** Opens runs and writes into them. */
  readonly runs: RunOpener;
  readonly variant: string | undefined;
  /** Counts the current record as known and irrelevant. */
  readonly skip: ReportCounter["skip"];
  /** Counts the current record, or a part of it, as unknown. */
  readonly unknown: ReportCounter["unknown"];
}

/** Translates one transcript, record by record. Its state is in its closure, and is about one turn at most. */
export interface Translator {
  readonly take: (record: TranscriptRecord) => void;
  /** Called at the end of the transcript. Open runs are closed after it. */
  readonly end?: () => void;
}

/** Recognizes and reads the logs of one tool: one file, one line in `formats.ts`. */
export interface TranscriptFormat {
  readonly name: string;
  /** The display name of the tool. */
  readonly title: string;
  readonly detect: (sample: Sample) => FormatMatch | undefined;
  readonly translate: (translation: TranslationContext) => Translator;
}
