import { words } from "@phasekit/ledger/story";
import { cleanText } from "../clean-text.ts";
import type { RunReading } from "../logs/play-items.ts";

/** Returns the title of a run for a list; empty if its prompt is not known. */
export const titleOfRun = ({ about, story }: RunReading): string =>
  cleanText(story.title ?? words.titleOfPrompt(about.task?.text ?? "") ?? about.task?.id ?? "");

/** The sign before a run that another one started, indented by how far below it is. */
export const branch = (depth: number): string => (depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `);
