import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startPostgres } from "./postgres-server.ts";

const folder = mkdtempSync(join(tmpdir(), "postgres-server-test-"));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe("startPostgres", () => {
  it("stop() returns and removes the files if the server has ended before, as after Ctrl-C", async () => {
    // The server of root belongs to another user, who must reach its files.
    chmodSync(folder, 0o755);
    vi.stubEnv("TMPDIR", folder);
    const server = await startPostgres({ fsync: false });
    const [data = ""] = readdirSync(folder);
    const [pid = ""] = readFileSync(join(folder, data, "postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGINT");
    await vi.waitUntil(() => !isAlive(Number(pid)), { timeout: 60_000 });
    await server.stop();
    expect(readdirSync(folder)).toEqual([]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
