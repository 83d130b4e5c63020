import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isPhasekitError } from "@phasekit/core";
import { parseTranscript, type RecordedRun } from "@phasekit/transcripts";
import { describe, expect, it } from "vitest";
import { answers, play, sendAndRead } from "./round-trip.ts";
import { logOf, sampleRuns } from "./sample-runs.ts";

const fixtures = join(import.meta.dirname, "../../transcripts/test/fixtures");

// Recorded runs are not part of the repository: PHASEKIT_DATA says where they are.
const folder = process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../../shared/data");
const recorded = ["sessions", "trajectories"]
  .map((name) => join(folder, name))
  .filter((path) => existsSync(path))
  .flatMap((path) =>
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^(?:labels.*\.json|README\.md)$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
if (recorded.length === 0) console.log("No recorded runs found: set PHASEKIT_DATA to the folder that holds them.");

function runsIn(path: string): readonly RecordedRun[] {
  const bytes = readFileSync(path);
  return parseTranscript((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString(), { name: path }).runs;
}

/** The runs of a recorded file; none of one that only the bench reads. */
function recordedRunsIn(path: string): readonly RecordedRun[] {
  try {
    return runsIn(path).slice(0, 5);
  } catch (error) {
    if (isPhasekitError(error, "UNKNOWN_FORMAT")) return [];
    throw error;
  }
}

describe("a run that is sent and read back", () => {
  it.each(readdirSync(fixtures))("is the same run, with and without texts: %s", (file) => {
    for (const run of runsIn(join(fixtures, file))) {
      const log = play(run);
      for (const options of [{}, { text: true }, { asSpans: true }, { salt: "pepper" }])
        expect(sendAndRead(log, options).map((back) => answers(play(back)))).toEqual([answers(log)]);
    }
  });

  it.each(Object.keys(sampleRuns))("reads like the log itself, with its refused calls: %s", (name) => {
    const log = logOf(name);
    const [back] = sendAndRead(log);
    const [same] = parseTranscript(log.map((event) => JSON.stringify(event)).join("\n")).runs;
    expect(answers(play(back!))).toEqual(answers(play(same!)));
    const { reason, calls, failedCalls, tokens } = answers(log) as Readonly<Record<string, unknown>>;
    expect(answers(play(back!))).toMatchObject({ reason, calls, failedCalls, tokens });
  });

  it("counts a trace that was sent twice once", () => {
    const log = logOf("veto");
    expect(sendAndRead([...log, ...log]).map((back) => answers(play(back)))).toEqual(
      sendAndRead(log).map((back) => answers(play(back))),
    );
  });

  it.skipIf(recorded.length === 0)("is the same run, for every recorded one", () => {
    const different: string[] = [];
    let count = 0;
    for (const path of recorded) {
      for (const run of recordedRunsIn(path)) {
        const log = play(run);
        const back = sendAndRead(log).map((one) => answers(play(one)));
        count += 1;
        if (JSON.stringify(back) !== JSON.stringify([answers(log)])) different.push(`${path} ${run.id}`);
      }
    }
    expect(different).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });
});
