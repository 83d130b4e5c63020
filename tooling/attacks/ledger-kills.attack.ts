import { killKeepers } from "../../packages/ledger/src/node/__fixtures__/kill-keepers.ts";
import type { Attack } from "./attack.ts";
import { attackCommand } from "./run-attacks.ts";

const KILLS = Number(process.env["PHASEKIT_KEEPER_KILLS"] ?? 120);
const TASKS = ["prune", "store", "export"] as const;

/** SIGKILL in the middle of pruning, storing and exporting. */
export const attack: Attack = {
  name: "ledger-kills",
  areas: TASKS.length,
  run: async ({ now, pause, total }) => {
    for (const task of TASKS) {
      now(`kill during ${task}`);
      const report = await killKeepers(task, { kills: KILLS, seed: 7, beforeKill: (kill) => pause(kill - 1, KILLS) });
      const { kills, acknowledged, leftovers, problems } = report;
      total({
        area: `kill during ${task}`,
        tried: kills,
        failures: problems,
        note: `${String(acknowledged)} acknowledged, ${String(leftovers)} kills left something to clear`,
      });
    }
  },
};

if (import.meta.main) await attackCommand([attack]);
