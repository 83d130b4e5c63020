import type { Sample } from "./sample.ts";
import type { RunDesk } from "./run-desk.ts";
import type { ReportCounter } from "./transcript-report.ts";

/** A part of a transcript, in order: a line's value, an entry of a list, a member of a document. */
export interface Piece {
  /** Where it stands: line numbers and indexes as numbers, members by name. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** A format thinks a transcript is its own. */
export interface FormatMatch {
  /** From 0 to 1; the most certain format wins, and of equals the one listed first. */
  readonly certainty: number;
  /**
   * Which lists of a document are taken apart, as paths with `*` for any index or member: `messages.*`. What no path
   * leads into comes whole. In a log of lines the first step is the line. @default lines and documents come whole
   */
  readonly split?: readonly string[];
  /**
   * Members of a document that are needed before the rest, such as the task. They come first when the document is short
   * enough to be read whole. @default members come in their own order
   */
  readonly first?: readonly string[];
  /** Which of its shapes the transcript has, for formats with several. */
  readonly variant?: string;
}

/** What a format gets to work with. */
export interface Translation {
  /** Opens runs and writes into them. */
  readonly desk: RunDesk;
  readonly variant: string | undefined;
  /** Says of the piece at hand that it is known and carries nothing. */
  readonly skip: ReportCounter["skip"];
  /** Says of the piece at hand, or of a part of it, that it is not known. */
  readonly unknown: ReportCounter["unknown"];
}

/** Takes one transcript, piece by piece. It keeps what it must remember in its closure, and no more than a turn or so. */
export interface Translator {
  readonly take: (piece: Piece) => void;
  /** The transcript is over. Runs that are still open are closed after it. */
  readonly end?: () => void;
}

/** How the logs of one tool are recognised and read: one file, one line in `formats.ts`. */
export interface TranscriptFormat {
  readonly name: string;
  /** The tool's name for people. */
  readonly title: string;
  readonly detect: (sample: Sample) => FormatMatch | undefined;
  readonly translate: (translation: Translation) => Translator;
}
