export {
  createFolderReport,
  type FolderReport,
  type FolderReportOptions,
  renderReport,
  type ReportOptions,
} from "./node/render-report.ts";
export { createReviewInbox, reviewFolder, type ReviewInbox } from "./node/review-inbox.ts";
export { type RunServer, type ServeOptions, serveRuns } from "./node/serve-runs.ts";
