import { formats, type TranscriptFormat } from "@phasekit/transcripts";
import { agentsStudy } from "./agents-study.ts";
import { groupChat } from "./group-chat.ts";
import { intercode } from "./intercode.ts";
import { mint } from "./mint.ts";
import { notebookHistory } from "./notebook-history.ts";
import { tauBench } from "./tau-bench.ts";

/** The formats of the product, and those of published studies and benchmarks, which only measurements read. */
export const benchFormats: readonly TranscriptFormat[] = [
  tauBench,
  intercode,
  mint,
  notebookHistory,
  agentsStudy,
  groupChat,
  ...formats,
];
