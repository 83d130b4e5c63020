import { parseTranscript, type Transcript } from "@phasekit/transcripts";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { benchFormats } from "../formats/bench-formats.ts";

/** One tool call of a recorded run. */
export interface RecordedCall {
  readonly tool: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly failed: boolean;
  readonly exitCode?: number;
  /** Calls of one answer of the model share a turn. */
  readonly turn: number;
}

/** The tool calls of a recorded run. */
export interface RecordedRun {
  readonly agent: string;
  readonly name: string;
  readonly calls: readonly RecordedCall[];
}

/** A file of recorded runs. */
export interface RecordedFile extends Transcript {
  /** Its folder, which is the name of the agent or benchmark. */
  readonly agent: string;
  readonly file: string;
  readonly text: string;
}

/** The message of commands that need recorded runs and find none. */
export const NO_RECORDED_RUNS = "No recorded runs found: set PHASEKIT_DATA to the folder that holds `trajectories`.";

/** The folder of the recorded runs: in PHASEKIT_DATA, or beside the repository. */
export function trajectoryFolder(): string | undefined {
  const folder = join(
    process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../shared/data"),
    "trajectories",
  );
  return existsSync(folder) ? folder : undefined;
}

/** Every file the folder holds, read by its own format. */
export function readRecordedFiles(folder: string): readonly RecordedFile[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .flatMap((agent) =>
      readdirSync(join(folder, agent))
        .sort()
        .map((file) => {
          const text = readFileSync(join(folder, agent, file), "utf8");
          return { agent, file, text, ...parseTranscript(text, { name: file, formats: benchFormats }) };
        }),
    );
}

/** Every recorded run that makes tool calls. */
export function readRecordedRuns(folder: string): readonly RecordedRun[] {
  return readRecordedFiles(folder).flatMap(({ agent, file, runs }) =>
    runs
      .map((run, index) => ({
        agent,
        name: runs.length === 1 ? file : `${file}#${String(index + 1)}`,
        calls: callsOf(run),
      }))
      .filter(({ calls }) => calls.length > 0),
  );
}

/** The calls of a run with their results, in the order of the calls. */
export function callsOf({ events }: Transcript["runs"][number]): readonly RecordedCall[] {
  const calls = new Map<
    string,
    { tool: string; input: unknown; output: unknown; failed: boolean; exitCode?: number; turn: number }
  >();
  let turn = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === "turn.started") turn += 1;
    else if (event.type === "tool.requested")
      calls.set(`${event.call ?? ""}@${String(index)}`, {
        tool: event.tool,
        input: event.input,
        output: "",
        failed: false,
        turn: Math.max(1, turn),
      });
    else if (event.type === "tool.finished") {
      const key = [...calls.keys()].findLast((name) => name.startsWith(`${event.call ?? ""}@`));
      const call = key === undefined ? undefined : calls.get(key);
      if (call !== undefined)
        Object.assign(call, {
          output: event.output ?? "",
          failed: event.outcome !== "ok",
          ...(event.exitCode !== undefined && { exitCode: event.exitCode }),
        });
    }
  }
  return [...calls.values()];
}
