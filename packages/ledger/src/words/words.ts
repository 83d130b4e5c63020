import { endingOf, endWord } from "../story/ending.ts";
import { interventionText, loopText, tokenText, wasteText, workText } from "../story/story-text.ts";
import { verdictText } from "../story/verification.ts";
import * as numbers from "./numbers.ts";
import { reasonText } from "./reason-text.ts";
import { titleOfPrompt } from "./run-title.ts";
import { shortPaths } from "./short-paths.ts";

/** Numbers, paths, reasons and the parts of a story as people read them: every output of Phasekit uses these. */
export const words = {
  ...numbers,
  endingOf,
  endWord,
  interventionText,
  loopText,
  reasonText,
  shortPaths,
  titleOfPrompt,
  tokenText,
  verdictText,
  wasteText,
  workText,
} as const;
