export type { GateRow, WaitingReview } from "./views/gate-rows.ts";
export type { LoopRow } from "./views/loop-rows.ts";
export type { NudgeRow } from "./views/nudge-rows.ts";
export { type Overview, overviewOf, type SpendRow } from "./views/overview.ts";
export { overviewToMarkdown } from "./views/overview-to-markdown.ts";
export type { ReportPrices } from "./views/priced-overview.ts";
export type { RunAbout, RunLine } from "./views/run-line.ts";
export type { Timeline } from "./views/timeline.ts";
