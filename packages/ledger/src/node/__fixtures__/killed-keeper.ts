// Prunes, stores or exports until somebody kills it. Tells its parent over a pipe what was acknowledged.
import { createRun } from "@phasekit/core";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { storeRun } from "../../store-run.ts";
import { pruneRuns } from "../../prune-runs.ts";
import { exportRun } from "../archive/export-run.ts";
import { createFileStore } from "../file-store.ts";
import { knownEvents } from "./known-log.ts";

const [root = "", task = "", from = "0"] = process.argv.slice(2);
const store = createFileStore(join(root, "runs"));
const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Runs come one after the other; the newest five stay, whatever else happens. */
async function prune(): Promise<never> {
  for (let number = Number(from) + 1; ; number += 1) {
    const run = `run-${String(number).padStart(6, "0")}`;
    const [first, ...rest] = knownEvents(run, { first: 1, last: 4 });
    await store.append(run, [{ ...first, at: number } as never, ...rest], { after: 0 });
    await store.append(run, [{ type: "run.finished", seq: 5, at: number + 1, turn: 4, reason: "done" } as never], {
      after: 4,
    });
    say(`ack ${String(number)}`);
    if (number % 3 === 0) await pruneRuns(store, { now: Date.now(), keep: 5 });
  }
}

async function storing(): Promise<never> {
  for (let number = Number(from) + 1; ; number += 1) {
    const run = createRun({ id: `run-${String(number)}` });
    const following = storeRun(run, store);
    for (let turn = 0; turn < 20; turn += 1) {
      run.beforeTurn();
      run.record({ type: "message.sent", text: `${String(turn)} of ${String(number)}` });
      const { stored } = await following.flush();
      say(`ack ${String(number)} ${String(stored)}`);
    }
    run.end();
    await following.close();
  }
}

async function exports(): Promise<never> {
  for (;;) {
    await exportRun(store, "exported", { folder: join(root, "exported") });
    say("ack 1");
  }
}

const tasks = { prune, store: storing, export: exports };
await tasks[task as keyof typeof tasks]();
