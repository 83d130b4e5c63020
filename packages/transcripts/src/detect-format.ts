import { formats as allFormats } from "./formats.ts";
import { type Sample, sampleOf } from "./parse/sample.ts";
import type { FormatMatch, TranscriptFormat } from "./transcript-format.ts";

/** A recognized format. */
export interface DetectedFormat extends FormatMatch {
  readonly format: TranscriptFormat;
}

/** Characters of a transcript used to detect its format. */
export const SAMPLE_LENGTH = 256 * 1024;

/**
 * Detects the format of a transcript by its content. Pass the beginning; 256 KiB are enough. Returns `undefined` if no
 * format matches.
 */
export function detectFormat(
  text: string,
  { formats = allFormats }: { readonly formats?: readonly TranscriptFormat[] } = {},
): DetectedFormat | undefined {
  const isWhole = text.length <= SAMPLE_LENGTH;
  return detectSample(sampleOf(isWhole ? text : text.slice(0, SAMPLE_LENGTH), { isWhole }), formats);
}

/** Returns the most certain format for a sample; on a tie, the first. */
export function detectSample(sample: Sample, formats: readonly TranscriptFormat[]): DetectedFormat | undefined {
  let best: DetectedFormat | undefined;
  for (const format of formats) {
    const match = format.detect(sample);
    if (match !== undefined && match.certainty > (best?.certainty ?? 0)) best = { ...match, format };
    if (best?.certainty === 1) break;
  }
  return best;
}
