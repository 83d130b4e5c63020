import { basename, dirname, resolve } from "node:path";
import { collectRuns, type Transcript, type TranscriptItem } from "../transcript.ts";
import type { TranscriptReport } from "../transcript-report.ts";
import { createTranslation, type TranslationOptions } from "../translation.ts";
import { readText, type ReadTextOptions } from "./read-text.ts";

/** How a file is to be read. */
export interface OpenTranscriptOptions extends TranslationOptions, ReadTextOptions {}

/** A transcript that is being read. */
export interface OpenTranscript {
  /** The items of the file, in batches as they are read. Iterate only once. */
  readonly items: AsyncIterable<readonly TranscriptItem[]>;
  /** The report on all records read so far. */
  readonly report: () => TranscriptReport;
}

/**
 * Reads the transcript in a file, of any size, in bounded memory; unpacks gzip and zstd. Runs without an id are named
 * after the file.
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

const FIXED_NAMES: ReadonlySet<string> = new Set(["ui_messages.json", "events.jsonl"]);

/** The errors of gzip and zstd. */
const DAMAGE = /^(?:Z_BUF_ERROR|Z_DATA_ERROR|ZSTD_error_\w+)$/;

async function* read(
  path: string,
  translation: ReturnType<typeof createTranslation>,
  options: ReadTextOptions,
): AsyncGenerator<readonly TranscriptItem[]> {
  try {
    for await (const text of readText(path, options)) {
      const items = translation.push(text);
      if (items.length > 0) yield items;
    }
  } catch (error) {
    // Everything unpacked before the damage has been read.
    const code = (error as { readonly code?: unknown }).code;
    if (typeof code !== "string" || !DAMAGE.test(code)) throw error;
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
  // Some tools keep each session in a folder of its own.
  const name = FIXED_NAMES.has(basename(path)) ? basename(dirname(resolve(path))) : basename(path);
  return name.replace(/\.(?:gz|zst)$/, "").replace(/(?:\.traj)?\.(?:jsonl?|traj|md|ipynb)$/, "");
}
