// The fleet at full size: 16 processes, 1,000 items, 4 rivals per step, random SIGKILLs. Prints what came of it.
import { runFleet } from "./run-fleet.ts";

const [processes = "16", items = "1000", kills = "40"] = process.argv.slice(2);
const started = performance.now();
const result = await runFleet({ processes: Number(processes), items: Number(items), kills: Number(kills) });
console.log({ ...result, seconds: Math.round((performance.now() - started) / 1000) });
if (result.problems.length > 0 || result.advances !== Number(items) * 3) process.exitCode = 1;
