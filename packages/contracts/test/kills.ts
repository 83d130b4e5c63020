// 200 processes killed in the middle of their histories. Prints what came of it.
import { runKills } from "./run-kills.ts";

const result = await runKills({ kills: Number(process.argv[2] ?? "200") });
console.log(result);
if (result.problems.length > 0) process.exitCode = 1;
