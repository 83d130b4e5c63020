import type { RunEvent } from "@phasekit/core";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buildSync } from "esbuild";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";
import { depth } from "@phasekit/tooling/test-depth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knownEvent, knownEvents, seeded } from "./__fixtures__/known-log.ts";
import { createFileStore } from "./file-store.ts";

const KILLS = depth({ quick: 12, full: 200, long: 10_000 });
/** Another one moves every kill to another moment. */
const SEED = Number(process.env["PHASEKIT_SEED"] ?? 0);
const PER_RUN = 5;
const LANES = 3;
let root = "";
let writer = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ledger-kill-"));
  // One plain file starts in a quarter of the time, and hundreds of processes start here.
  writer = join(root, "..", `${basename(root)}.mjs`);
  buildSync({
    entryPoints: [`${import.meta.dirname}/__fixtures__/killed-writer.ts`],
    outfile: writer,
    bundle: true,
    conditions: [SOURCE_CONDITION],
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
});
afterAll(() => {
  for (const path of [root, writer]) rmSync(path, { recursive: true, force: true });
});

const startWriter = (run: string, seed: number) =>
  spawn(process.execPath, [writer, root, run, String(seed)], { stdio: ["ignore", "pipe", "pipe"] });

/** Starts a writer, kills it, and says what it had acknowledged and what it was doing. */
function killOne(
  run: string,
  { seed, waitMs, from }: { readonly seed: number; readonly waitMs: number; readonly from: "opening" | "writing" },
): Promise<{ readonly acknowledged: number; readonly doing: string; readonly problem: string }> {
  return new Promise((resolve) => {
    const child = startWriter(run, seed);
    let output = "";
    let errors = "";
    let timer: NodeJS.Timeout | undefined;
    child.stdout.setEncoding("latin1").on("data", (text: string) => {
      output += text;
      // Some from the first operation on, so that openings are hit, the others while it writes.
      if (from === "opening" || output.includes("ack ")) timer ??= setTimeout(() => child.kill("SIGKILL"), waitMs);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    child.on("close", () => {
      clearTimeout(timer);
      const lines = output.split("\n").slice(0, -1);
      const acknowledged = Number(lines.findLast((line) => line.startsWith("ack "))?.slice(4) ?? 0);
      resolve({
        acknowledged,
        doing: lines.at(-1)?.split(" ")[0] ?? "nothing",
        problem: errors + lines.filter((line) => line.startsWith("problem")).join("\n"),
      });
    });
  });
}

async function readAll(run: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const batch of createFileStore(root).read(run)) events.push(...batch);
  return events;
}

describe("kill -9", () => {
  it(
    `loses nothing acknowledged and invents nothing, ${String(KILLS)} times`,
    { timeout: 1_200_000 + KILLS * 2000 },
    async () => {
      const doing: Record<string, number> = {};
      let acknowledgedInAll = 0;
      let kills = 0;
      async function lane(number: number): Promise<void> {
        for (let life = 0; kills < KILLS; life += 1) {
          const suffix = life % 20 < PER_RUN ? "-large" : "";
          const run = `lane${String(number)}-${String(Math.floor(life / PER_RUN))}${suffix}`;
          const size = run.endsWith("large") ? 60_000 : 1000;
          const random = seeded(SEED * 1_000_000 + number * 100_000 + life);
          kills += 1;
          const killed = await killOne(run, {
            seed: SEED * 100_000 + life,
            waitMs: random() * 12,
            from: random() < 0.3 ? "opening" : "writing",
          });
          expect(killed.problem).toBe("");
          doing[killed.doing] = (doing[killed.doing] ?? 0) + 1;
          acknowledgedInAll += killed.acknowledged;
          const events = await readAll(run);
          const known = events.map((_, index) => knownEvent(run, index + 1, { size }));
          if (JSON.stringify(events) !== JSON.stringify(known))
            throw new Error(`${run}, life ${String(life)}: an event was changed or invented`);
          if (kills % 500 === 0)
            process.stdout.write(
              `${String(kills)} kills so far, ${String(acknowledgedInAll)} events acknowledged, none lost\n`,
            );
          if (events.length < killed.acknowledged)
            throw new Error(
              `${run}, life ${String(life)}: ` +
                `${String(killed.acknowledged)} acknowledged, ${String(events.length)} found`,
            );
        }
      }
      await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
      process.stdout.write(
        `${String(kills)} kills, ${String(acknowledgedInAll)} events acknowledged; ` +
          `last words: ${JSON.stringify(doing)}\n`,
      );
      expect(acknowledgedInAll).toBeGreaterThan(KILLS);
      // The kills hit more than one kind of moment.
      expect(Object.keys(doing).length).toBeGreaterThanOrEqual(3);
    },
  );
});

describe("two processes", () => {
  it("never share a run; the second gets it when the first is gone", async () => {
    const run = "contested";
    const child = startWriter(run, 1);
    await new Promise<void>((resolve) => {
      child.stdout.setEncoding("latin1").on("data", (text: string) => {
        if (text.includes("ack")) resolve();
      });
    });
    const store = createFileStore(root);
    await expect(store.append(run, [knownEvent(run, 1)], { after: 0 })).rejects.toMatchObject({
      code: "RUN_LOCKED",
      message: `Run "contested" is being written by process ${String(child.pid)} on "${hostname()}".`,
    });
    // A stopped process is not a dead one.
    child.kill("SIGSTOP");
    await expect(store.append(run, [knownEvent(run, 1)], { after: 0 })).rejects.toMatchObject({ code: "RUN_LOCKED" });
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    const end = (await readAll(run)).length;
    await store.append(run, [knownEvent(run, end + 1, { size: 1000 })], { after: end });
    await store.close();
    expect(await readAll(run)).toEqual(knownEvents(run, { first: 1, last: end + 1, size: 1000 }));
  });

  it("of many contenders for a dead process's run exactly one gets it", async () => {
    const run = "stale";
    for (let round = 0; round < 3; round += 1) {
      const contenders = Array.from({ length: 6 }, (_, seed) => startWriter(run, seed));
      const holders = new Set<number>();
      let refused = 0;
      await Promise.all(
        contenders.map(
          (child, index) =>
            new Promise<void>((resolve) => {
              child.stdout.setEncoding("latin1").on("data", (text: string) => {
                if (text.includes("ack")) {
                  holders.add(index);
                  resolve();
                }
              });
              child.stderr.setEncoding("utf8").on("data", (text: string) => {
                if (text.includes("RUN_LOCKED")) refused += 1;
              });
              child.on("close", () => resolve());
            }),
        ),
      );
      for (const child of contenders) child.kill("SIGKILL");
      await Promise.all(
        contenders.map((child) =>
          child.exitCode !== null || child.signalCode !== null
            ? Promise.resolve()
            : new Promise((resolve) => child.on("close", resolve)),
        ),
      );
      expect(holders.size).toBe(1);
      expect(refused).toBe(5);
    }
    const events = await readAll(run);
    expect(events).toEqual(knownEvents(run, { first: 1, last: events.length, size: 1000 }));
  });
});
