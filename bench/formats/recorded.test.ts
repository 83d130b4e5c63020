import { checkEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { NO_RECORDED_RUNS, readRecordedFiles, trajectoryFolder } from "../src/recorded-runs.ts";

const folder = trajectoryFolder();
if (folder === undefined) console.log(NO_RECORDED_RUNS);

describe.skipIf(folder === undefined)("recorded runs", () => {
  it("are all recognised and read whole, to events a run takes", () => {
    const problems: string[] = [];
    for (const { agent, file: name, runs, report } of readRecordedFiles(folder ?? "")) {
      const file = `${agent}/${name}`;
      if (Object.keys({ ...report.unknown, ...report.broken }).length > 0)
        problems.push(`${file}: ${JSON.stringify({ ...report.unknown, ...report.broken })}`);
      if (report.calls !== report.results + report.unanswered || runs.length !== report.runs || runs.length === 0)
        problems.push(`${file}: ${JSON.stringify(report)}`);
      for (const event of runs.flatMap(({ events }) => events))
        for (const issue of checkEvent(event)) problems.push(`${file}: ${event.type} ${JSON.stringify(issue)}`);
    }
    expect(problems).toEqual([]);
  });
});
