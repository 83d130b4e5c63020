import type { Comparison } from "./comparison.ts";

/** A part of the bench that can be run alone. */
export interface Part {
  /** Its comparisons in a few words, for the help. */
  readonly about: string;
  /** Imports its comparisons, and with them the libraries they compare with. */
  readonly load: () => Promise<readonly Comparison[]>;
}

/** Every part of the bench by name, in the order they run. */
export const parts: Readonly<Record<string, Part>> = {
  core: {
    about: "one tool result with 0, 10 and 100 policies; a run of a million events; replay and simulation",
    load: async () => [
      (await import("./policy-cost.ts")).policyCost,
      (await import("./growth.ts")).growth,
      (await import("./reading-logs.ts")).readingLogs,
    ],
  },
  tracker: {
    about: "the interpreter and phase tracking on recorded runs, and hostile commands and outputs",
    load: async () => [(await import("./tracker-cost.ts")).trackerCost],
  },
  watchdog: {
    about: "calls that differ, an endless poll, streamed text, a run of a million events",
    load: async () => [(await import("./watchdog-cost.ts")).watchdogCost],
  },
  coding: {
    about: "one large tool result with codingRun(), and snapshots of a long run",
    load: async () => [
      (await import("./coding-cost.ts")).codingCost,
      (await import("./snapshot-cost.ts")).snapshotCost,
    ],
  },
  ledger: {
    about: "storing, reading and listing runs, and redaction, beside pino and SQLite",
    load: async () => [
      (await import("./ledger-writing.ts")).ledgerWriting,
      (await import("./ledger-reading.ts")).ledgerReading,
      (await import("./ledger-listing.ts")).ledgerListing,
      (await import("./ledger-redaction.ts")).ledgerRedaction,
    ],
  },
  otel: {
    about: "a run as an OpenTelemetry trace, with and without texts",
    load: async () => [(await import("./otel-cost.ts")).otelCost],
  },
  report: {
    about: "a report of 10,000 events",
    load: async () => [(await import("./report-cost.ts")).reportCost],
  },
  postgres: {
    about: "events and claims on a real PostgreSQL, beside plain SQL",
    load: async () => [(await import("./postgres-cost.ts")).postgresCost],
  },
  workers: {
    about: "claims and messages by one and by four worker processes on a real PostgreSQL, beside pg-boss",
    load: async () => [(await import("./postgres-workers.ts")).postgresWorkers],
  },
  scale: {
    about: "events, bytes, claims and connections of one PostgreSQL on this machine, for a plan of capacity",
    load: async () => [(await import("./postgres-scale.ts")).postgresScale],
  },
  orchestrator: {
    about: "a round of a conversation, early and after 10,000 rounds",
    load: async () => [(await import("./orchestrator.ts")).orchestrator],
  },
  adapters: {
    about: "a model call and a turn of every adapter, beside the bare framework",
    load: async () => [(await import("./adapter-overhead.ts")).adapterOverhead],
  },
  engines: {
    about: "an agent inside DBOS and Restate with their real servers, beside the same agent without Phasekit",
    load: async () => [(await import("./engine-cost.ts")).engineCost],
  },
  mcp: {
    about: "a tool call of an MCP client with a run, beside the bare client",
    load: async () => [(await import("./mcp-overhead.ts")).mcpOverhead],
  },
  cli: {
    about: "`phasekit simulate` over recorded runs, beside a program that parses them",
    load: async () => [(await import("./cli-simulate.ts")).cliSimulate],
  },
};
