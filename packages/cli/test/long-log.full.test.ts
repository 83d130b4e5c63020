import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeLongLog } from "../src/__fixtures__/write-long-log.ts";
import { BUILT, emptyHome } from "./run-cli.ts";

/** The size of the log. Every phase entry is remembered with about 2 kB, the calls in it are not. */
const MEGABYTES = 30;

it("`why` reads a log that is larger than its memory", () => {
  const home = emptyHome();
  const path = join(home, "long.jsonl");
  const bytes = writeLongLog(path, MEGABYTES * 1_000_000);
  // The heap is smaller than the log: reading it whole would end the process.
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--max-old-space-size=28", "--max-semi-space-size=1", BUILT, "why", path, "--json"],
    { encoding: "utf8", env: { HOME: home } },
  );
  rmSync(path);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const { story } = JSON.parse(stdout) as { readonly story: { readonly calls: number; readonly tokens: number } };
  expect(bytes).toBeGreaterThan(MEGABYTES * 1_000_000);
  expect(story.calls).toBeGreaterThan(3000);
  expect(story.tokens).toBe(story.calls * 50_110);
});
