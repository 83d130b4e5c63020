import { defineFact } from "@phasekit/core";

/** The agent's context was shortened: why, and how many tokens it held before. Recorded by formats that say so. */
export const contextCompacted = defineFact<{ readonly trigger?: string; readonly tokensBefore?: number }>("context.compacted");
