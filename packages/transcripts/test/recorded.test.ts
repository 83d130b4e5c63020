import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkEvent } from "@phasekit/core";
import { parseTranscript } from "../src/index.ts";

// Recorded runs are not part of the repository: PHASEKIT_DATA says where they are.
const folder = join(
  process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"),
  "trajectories",
);
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath !== folder)
      .map(({ parentPath, name }) => join(parentPath, name))
  : [];
if (files.length === 0) console.log("No recorded runs found: set PHASEKIT_DATA to the folder that holds them.");

describe.skipIf(files.length === 0)("recorded runs", () => {
  it("are all recognised and read whole, to events a run takes", () => {
    const problems: string[] = [];
    for (const file of files) {
      const { runs, report } = parseTranscript(readFileSync(file, "utf8"), { name: file });
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
