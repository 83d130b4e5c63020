// Prints how transcripts, tracker and watchdog read recorded runs. They are not part of the repository: PHASEKIT_DATA
// names their folder.
import { exitInterrupted, runWithProgress } from "@phasekit/tooling/run-with-progress";
import { NO_RECORDED_RUNS, trajectoryFolder } from "./recorded-runs.ts";
import { trackerReport } from "./tracker-report.ts";
import { transcriptsReport } from "./transcripts-report.ts";
import { renderWatched, watchTrajectories } from "./watchdog-trajectories.ts";

const reports: Readonly<Record<string, (folder: string) => string>> = {
  transcripts: (folder) => `${transcriptsReport(folder)}\n`,
  tracker: trackerReport,
  watchdog: () => renderWatched(watchTrajectories() ?? []),
};

const folder = trajectoryFolder();
if (folder === undefined) console.log(NO_RECORDED_RUNS);
else if (await printReports(folder)) exitInterrupted();

function printReports(root: string): Promise<boolean> {
  const total = Object.keys(reports).length;
  return runWithProgress({ total, unit: "reports" }, async (progress) => {
    for (const [index, [name, render]] of Object.entries(reports).entries()) {
      progress.now(name);
      await progress.pause(index, total);
      progress.print(render(root));
      progress.count();
    }
  });
}
