import { basename } from "node:path";
import { collectRuns, type Transcript, type TranscriptItem } from "../transcript.ts";
import type { TranscriptReport } from "../transcript-report.ts";
import { createTranslation, type TranslationOptions } from "../translation.ts";
import { readText, type ReadTextOptions } from "./read-text.ts";

/** How a file is to be read. */
export interface OpenTranscriptOptions extends TranslationOptions, ReadTextOptions {}

/** A transcript that is being read. */
export interface OpenTranscript {
  /** What the file tells, in batches as they are read. It can be gone through once. */
  readonly items: AsyncIterable<readonly TranscriptItem[]>;
  /** What became of every record read so far. */
  readonly report: () => TranscriptReport;
}

/**
 * Reads the transcript in a file, of any size, in bounded memory; gzip is unpacked. Runs without an id are named after
 * the file.
 *
 * @example
 * const { items, report } = openTranscript(path);
 * for await (const batch of items) for (const item of batch) player.take(item);
 */
export function openTranscript(path: string, options: OpenTranscriptOptions = {}): OpenTranscript {
  const translation = createTranslation({ name: nameOf(path), ...options });
  return {
    items: read(path, translation, options),
    report: translation.report,
  };
}

async function* read(path: string, translation: ReturnType<typeof createTranslation>, options: ReadTextOptions): AsyncGenerator<readonly TranscriptItem[]> {
  try {
    for await (const text of readText(path, options)) {
      const items = translation.push(text);
      if (items.length > 0) yield items;
    }
  } catch (error) {
    // What was unpacked before the damage was read like the rest.
    const code = (error as { readonly code?: unknown }).code;
    if (code !== "Z_BUF_ERROR" && code !== "Z_DATA_ERROR") throw error;
    translation.damaged(code === "Z_BUF_ERROR" ? "the packed file is cut off" : "the packed file is damaged");
  }
  const rest = translation.end();
  if (rest.length > 0) yield rest;
}

/**
 * The transcript in a file, whole: for files that fit into memory.
 * @throws UNKNOWN_FORMAT, TOO_LARGE_UNPACKED
 */
export async function loadTranscript(path: string, options: OpenTranscriptOptions = {}): Promise<Transcript> {
  const { items, report } = openTranscript(path, options);
  const all: TranscriptItem[] = [];
  for await (const batch of items) all.push(...batch);
  return { runs: collectRuns(all), report: report() };
}

function nameOf(path: string): string {
  return basename(path).replace(/(?:\.gz)?$/, "").replace(/(?:\.traj)?\.(?:jsonl?|traj|md|ipynb)$/, "");
}
