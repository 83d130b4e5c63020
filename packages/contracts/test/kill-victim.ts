// Plays histories on a SQLite file until it is killed, writing down what it was told before it goes on.
import { appendFileSync } from "node:fs";
import { createSqliteWorkStore } from "../src/sqlite.ts";
import { playHistory, startTime } from "./play-history.ts";

const [path = "", log = "", first = "1"] = process.argv.slice(2);
const time = startTime();
const store = createSqliteWorkStore({ path, acknowledge: "kernel", clock: () => time.now });
const write = (line: unknown): void => appendFileSync(log, `${JSON.stringify(line)}\n`);
process.stdout.write("ready");
for (let seed = Number(first); ; seed += 1) {
  await playHistory(store, seed, {
    time,
    witness: { acknowledged: (claim) => write({ claim }), delivered: (message) => write({ message }) },
  });
}
