import { words } from "@phasekit/ledger/story";
import { cleanText } from "../clean-text.ts";
import type { RunReading } from "../logs/play-items.ts";

/** Returns the title of a run for a list; empty if its prompt is not known. */
export const titleOfRun = ({ about, story }: RunReading): string =>
  cleanText(story.title ?? words.titleOfPrompt(about.task?.text ?? "") ?? about.task?.id ?? "");
