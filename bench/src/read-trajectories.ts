// Prints how transcripts, tracker and watchdog read recorded runs. They are not part of the repository: PHASEKIT_DATA
// says where they are.
import { trajectoryFolder } from "./recorded-runs.ts";
import { trackerReport } from "./tracker-report.ts";
import { transcriptsReport } from "./transcripts-report.ts";
import { renderWatched, watchTrajectories } from "./watchdog-trajectories.ts";

const folder = trajectoryFolder();
if (folder === undefined) console.log("No recorded runs found: set PHASEKIT_DATA to the folder that holds them.");
else {
  console.log(`${transcriptsReport(folder)}\n`);
  console.log(trackerReport(folder));
  console.log(renderWatched(watchTrajectories() ?? []));
}
