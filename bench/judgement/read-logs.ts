import { parseTranscript } from "@phasekit/transcripts";
import type { NewEvent } from "@phasekit/core";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { benchFormats } from "../formats/bench-formats.ts";
import type { RecordedEvent, RecordedRun } from "./recorded-run.ts";

/** Raw logs as a folder in the neutral form, and what was left out. */
export interface ConvertedLogs {
  readonly folder: string;
  readonly runs: number;
  /** Files that no format recognizes. */
  readonly unread: readonly string[];
}

const SET = "logs";

/**
 * Reads a folder of raw logs of any tool that `@phasekit/transcripts` knows, and a file of outcomes, and writes both in
 * the neutral form to a temporary folder. The file of outcomes has one `<name><tab><outcome>` per line; the name is the
 * id of a run, or the name of its file with or without the ending. A run without an outcome is `unknown`.
 */
export function convertLogs(logs: string, outcomes: string): ConvertedLogs {
  const byName = readOutcomes(outcomes);
  const unread: string[] = [];
  const lines: string[] = [];
  for (const file of readdirSync(logs, { recursive: true, encoding: "utf8" }).sort()) {
    const runs = readRuns(join(logs, file));
    if (runs === undefined) continue;
    if (runs.length === 0) unread.push(file);
    for (const run of runs) {
      const outcome = [run.id, file, basename(file), basename(file, extname(file))]
        .map((name) => byName.get(name))
        .find((found) => found !== undefined);
      lines.push(JSON.stringify({ ...run, outcome: outcome ?? "unknown" } satisfies RecordedRun));
    }
  }
  const folder = mkdtempSync(join(tmpdir(), "judgement-"));
  writeFileSync(join(folder, `${SET}.jsonl.gz`), gzipSync(lines.join("\n")));
  return { folder, runs: lines.length, unread };
}

type Outcome = RecordedRun["outcome"];

const OUTCOMES: readonly string[] = ["success", "failure", "partial", "unknown"] satisfies readonly Outcome[];

function readOutcomes(file: string): ReadonlyMap<string, Outcome> {
  const pairs = readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.trim().split("\t"))
    .filter(([name = ""]) => name !== "");
  const wrong = pairs.find(([, outcome = ""]) => !OUTCOMES.includes(outcome));
  if (wrong !== undefined)
    throw new Error(
      `${file} has the line "${wrong.join("\t")}". Write <name><tab><outcome>, with one of: ${OUTCOMES.join(", ")}.`,
    );
  return new Map(pairs as [string, Outcome][]);
}

/** The runs of a file; none if no format recognizes it, `undefined` for a folder. */
function readRuns(path: string): readonly Omit<RecordedRun, "outcome">[] | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  try {
    return parseTranscript(text, { formats: benchFormats }).runs.map(({ id, task, events, model }) => ({
      id,
      set: SET,
      ...(model !== undefined && { label: { model } }),
      events: [...(task?.text === undefined ? [] : [{ type: "user" as const, text: task.text }]), ...toNeutral(events)],
    }));
  } catch {
    return [];
  }
}

/** Host events as neutral ones: calls with their results, texts of the agent and of the user. */
function toNeutral(events: readonly NewEvent[]): readonly RecordedEvent[] {
  const calls = new Map<string, NewEvent<"tool.requested">>();
  return events.flatMap((event): readonly RecordedEvent[] => {
    if (event.type === "tool.requested" && event.call !== undefined) calls.set(event.call, event);
    if (event.type === "message.sent" && "text" in event) return [{ type: "text", text: event.text }];
    if (event.type === "message.received" && "text" in event) return [{ type: "user", text: event.text }];
    if (event.type !== "tool.finished") return [];
    const asked = event.call === undefined ? undefined : calls.get(event.call);
    const { output = "", outcome } = event;
    return [
      {
        type: "tool",
        name: event.tool ?? asked?.tool ?? "tool",
        args: event.input ?? asked?.input ?? {},
        ok: outcome === "ok",
        output: typeof output === "string" ? output : JSON.stringify(output),
      },
    ];
  });
}
