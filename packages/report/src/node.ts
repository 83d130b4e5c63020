export { createFolderReport, type FolderReport, type FolderReportOptions, renderReport, type ReportOptions } from "./node/render-report.ts";
export type { ReviewAnswer } from "./node/review-answer.ts";
export { type ReviewInbox, reviewInbox } from "./node/review-inbox.ts";
export { type ServedRuns, type ServeOptions, serveRuns } from "./node/serve-runs.ts";
