import { formats as allFormats } from "./formats.ts";
import { type Sample, sampleOf } from "./sample.ts";
import type { FormatMatch, TranscriptFormat } from "./transcript-format.ts";

/** A format that was recognised. */
export interface DetectedFormat extends FormatMatch {
  readonly format: TranscriptFormat;
}

/** How much of a transcript is looked at to tell its format. */
export const SAMPLE_LENGTH = 256 * 1024;

/**
 * The format of a transcript, by its content: give it the beginning, 256 KiB are enough. `undefined` when no format
 * knows it.
 */
export function detectFormat(text: string, { formats = allFormats }: { readonly formats?: readonly TranscriptFormat[] } = {}): DetectedFormat | undefined {
  const isWhole = text.length <= SAMPLE_LENGTH;
  return detectSample(sampleOf(isWhole ? text : text.slice(0, SAMPLE_LENGTH), { isWhole }), formats);
}

/** The most certain format for a sample; the first of equals. */
export function detectSample(sample: Sample, formats: readonly TranscriptFormat[]): DetectedFormat | undefined {
  let best: DetectedFormat | undefined;
  for (const format of formats) {
    const match = format.detect(sample);
    if (match !== undefined && match.certainty > (best?.certainty ?? 0)) best = { ...match, format };
  }
  return best;
}
