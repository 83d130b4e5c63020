import { startPostgres } from "@phasekit/tooling/postgres-server";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

/** One server for all tests; each makes a schema of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ fsync: false });
  project.provide("databaseUrl", server.url);
  return server.stop;
}
