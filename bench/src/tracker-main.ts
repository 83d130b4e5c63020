// Prints what the tracker costs and how it reads the recorded runs: node --expose-gc src/tracker-main.ts
import { renderStories } from "./result.ts";
import { trackerCost } from "./tracker-cost.ts";
import { trackerReport } from "./tracker-report.ts";
import { trajectoryFolder } from "./tracker-trajectories.ts";

const folder = trajectoryFolder();
console.log(renderStories([trackerCost()]));
console.log(folder === undefined ? "\nNo recorded runs found: set PHASEKIT_DATA." : `\n${trackerReport(folder)}`);
