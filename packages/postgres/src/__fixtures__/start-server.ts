import type { TestProject } from "vitest/node";
import { startRealServer } from "./real-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseUrl: string;
  }
}

/** One server for all tests; each makes a schema of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startRealServer();
  project.provide("databaseUrl", server.url);
  return server.stop;
}
