import { killKeepers } from "../../packages/ledger/src/node/__fixtures__/kill-keepers.ts";

const KILLS = Number(process.env["PHASEKIT_KEEPER_KILLS"] ?? 120);

/** SIGKILL in the middle of pruning, archiving and exporting. */
export const attack = {
  name: "ledger-kills",
  run: async () => {
    const totals = [];
    for (const task of ["prune", "archive", "export"] as const) {
      const { kills, acknowledged, leftovers, problems } = await killKeepers(task, { kills: KILLS, seed: 7 });
      totals.push({
        area: `kill during ${task}`,
        tried: kills,
        failures: problems,
        note: `${String(acknowledged)} acknowledged, ${String(leftovers)} kills left something to clear`,
      });
    }
    return totals;
  },
};

if (import.meta.main)
  for (const { area, tried, failures, note } of await attack.run())
    console.log(`${area}: ${String(tried)} tried, ${String(failures.length)} failed, ${note}`, failures.slice(0, 5));
