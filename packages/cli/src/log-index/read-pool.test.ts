import { isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import type { FoundLog } from "../logs/find-logs.ts";
import { createReadPool, type ReadPool } from "./read-pool.ts";

const file = new URL("./__fixtures__/crashing-reader.mjs", import.meta.url);
const log = (path: string): FoundLog => ({ tool: "file", title: "file", path, name: path, updatedAt: 0, bytes: 1 });

/** Reads logs by name; returns the format of each, or the code of its error. */
async function readAll(pool: ReadPool, names: readonly string[]): Promise<readonly string[]> {
  const results = await Promise.all(
    names.map((name) =>
      pool.read(log(name)).then(
        ({ format }) => format,
        (error: unknown) => (isPhasekitError(error) ? `${error.code}: ${error.message}` : "not ours"),
      ),
    ),
  );
  await pool.close();
  return results;
}

const failed = (name: string, problem: string): string => `READER_FAILED: Reading "${name}" failed — ${problem}`;

describe("createReadPool", () => {
  it("answers in the order of the questions, on any number of threads", async () => {
    const names = ["slow-1", "2", "slow-3", "4", "5", "6"];
    expect(await readAll(createReadPool({ file, size: 3, preset: "coding" }), names)).toEqual(names);
    expect(await readAll(createReadPool({ file, size: 1, preset: "coding" }), names)).toEqual(names);
  });

  it("fails only the log that a thread crashed on", async () => {
    const pool = createReadPool({ file, size: 2, preset: "coding" });
    expect(await readAll(pool, ["1", "crash-2", "3", "exit-4", "5", "crash-6", "7"])).toEqual([
      "1",
      failed("crash-2", "crashed on crash-2"),
      "3",
      failed("exit-4", "the thread ended"),
      "5",
      failed("crash-6", "crashed on crash-6"),
      "7",
    ]);
  });

  it("passes on the error of a log", async () => {
    expect(await readAll(createReadPool({ file, size: 2, preset: "coding" }), ["1", "refused"])).toEqual([
      "1",
      "UNREADABLE_LOG: refused",
    ]);
  });

  it("fails all logs if no thread can start", async () => {
    const nowhere = new URL("./__fixtures__/missing.mjs", import.meta.url);
    const results = await readAll(createReadPool({ file: nowhere, size: 2, preset: "coding" }), ["1", "2", "3"]);
    expect(results).toHaveLength(3);
    for (const result of results) expect(result).toContain("READER_FAILED");
  });

  it("ends while logs are waiting", async () => {
    const pool = createReadPool({ file, size: 1, preset: "coding" });
    const waiting = ["slow-1", "slow-2", "slow-3"].map((name) => pool.read(log(name)).catch(() => "stopped"));
    await pool.close();
    expect(await Promise.all(waiting)).toEqual(["stopped", "stopped", "stopped"]);
  });
});
