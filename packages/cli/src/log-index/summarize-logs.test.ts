import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sampleLogs } from "../__fixtures__/sample-logs.ts";
import { loadConfig } from "../config/load-config.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { createPlayer } from "../logs/play-items.ts";
import { playLog } from "../logs/read-log.ts";
import { readLogs } from "../logs/read-logs.ts";
import { statOf } from "../logs/stat-of.ts";
import { stoppedLines } from "../logs/log-totals.ts";
import { summarizeLogs } from "./summarize-logs.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-stopped-"));
const config = await loadConfig({ cwd: folder, env: {}, path: undefined, trustAll: false });
const logs = ["", " ".repeat(4000), ""].map((rest, place): FoundLog => {
  const path = join(folder, `${String(place)}.json`);
  writeFileSync(path, `${sampleLogs.verified}${rest}`);
  return { tool: "file", title: "file", path, name: path, ...statOf(path)! };
});

it("summarizeLogs keeps the logs that were read when it is stopped, also those after one that was not", async () => {
  const stop = new AbortController();
  const taken: string[] = [];
  const totals = await summarizeLogs(logs, {
    config,
    signal: stop.signal,
    // The largest log is read first.
    progress: () => ({
      step: () => {
        stop.abort();
      },
      end: () => undefined,
    }),
    take: (_reading, { path }) => void taken.push(path),
  });
  expect(taken).toEqual([logs[1]?.path]);
  expect(totals).toMatchObject({ logs: 1, notRead: 2, unreadable: [] });
  expect(stoppedLines(totals)).toEqual(["Stopped: 2 logs not read."]);
});

it("readLogs keeps the runs of the logs that were read when it is stopped", async () => {
  const stop = new AbortController();
  let taken = 0;
  const totals = await readLogs(logs, {
    read: (log) =>
      playLog(log, createPlayer({ story: () => ({ add: () => undefined, get: () => 0 }), runOptions: {} })),
    take: () => {
      taken += 1;
      stop.abort();
    },
    signal: stop.signal,
  });
  expect({ taken, ...totals }).toMatchObject({ taken: 1, logs: 1, notRead: 2 });
});
