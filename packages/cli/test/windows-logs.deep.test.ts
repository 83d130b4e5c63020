import { codingRun, codingRunOptions } from "@phasekit/coding";
import { playRun, type RunEvent } from "@phasekit/core";
import { storyOf, verificationOf, words } from "@phasekit/ledger/story";
import { depth } from "@phasekit/tooling/test-depth";
import { parseTranscript, type RecordedRun } from "@phasekit/transcripts";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { hardCalls } from "./__fixtures__/hard-calls.ts";

/*
 * The same work on Windows has the same story: outputs end their lines with CR LF, tools name files as
 * `C:\Users\…`, and Git Bash names them `/c/Users/…`.
 */

/** Returns the value with every text in it changed. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === "string") return change(value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)])) as T;
}

const crlf = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");

/** The run with CR LF in everything a program printed. */
function withCrlf(run: RecordedRun): RecordedRun {
  return {
    ...run,
    events: run.events.map((event) =>
      event.type === "tool.finished" ? { ...event, output: mapTexts(event.output, crlf) } : event,
    ),
  };
}

/** The run in a folder of Windows. */
function onDrive(run: RecordedRun, folder: string): RecordedRun {
  const windows = String.raw`C:\Users\dev\project`;
  const change = (text: string): string => {
    const isPath = text === folder || (text.startsWith(`${folder}/`) && !/\s/.test(text));
    if (isPath) return windows + text.slice(folder.length).replaceAll("/", "\\");
    return text.replaceAll(`${folder}/`, "/c/Users/dev/project/").replaceAll(folder, "/c/Users/dev/project");
  };
  return { ...run, folder: windows, events: run.events.map((event) => mapTexts(event, change)) };
}

/** The story of a run, in short. */
function gistOf(run: RecordedRun): object {
  const events: RunEvent[] = [];
  playRun(run, { ...codingRunOptions({ mode: "observe" }), subscribe: (part) => void events.push(...part) });
  return gistOfEvents(events);
}

function gistOfEvents(events: readonly RunEvent[]): object {
  const story = storyOf(events);
  const { calls, failedCalls, wasted, phase, reason, state, loops } = story;
  const { grade } = verificationOf(story);
  return {
    ...{ calls, failedCalls, wasted, phase, reason, state, grade },
    loops: loops.length,
    word: words.endingOf(story).word,
  };
}

const FIXTURES = join(import.meta.dirname, "../../transcripts/test/fixtures");
const logs = [
  ...Object.entries(sampleLogs).map(([name, text]) => ({ name, read: () => text })),
  ...readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, read: () => readFileSync(join(FIXTURES, name), "utf8") })),
];

/** Sessions of real agents. They are not part of the repository. */
const DATA = process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../../shared/data");
const sessionFolder = [join(DATA, "sessions"), DATA].find((folder) => existsSync(folder)) ?? "";
const sessions = (sessionFolder === "" ? [] : readdirSync(sessionFolder))
  .filter((name) => /\.jsonl(?:\.gz)?$/.test(name))
  .slice(0, depth({ quick: 4, full: 20, long: 100 }))
  .map((name) => ({
    name,
    read: () => {
      const bytes = readFileSync(join(sessionFolder, name));
      return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
    },
  }));

describe("the same work on Windows", () => {
  it.each([...logs, ...sessions])("$name has the same story with CR LF", ({ read }) => {
    for (const run of parseTranscript(read()).runs) expect(gistOf(withCrlf(run))).toEqual(gistOf(run));
  });

  it.each([...logs, ...sessions])("$name has the same story in a folder of Windows", ({ read }) => {
    for (const run of parseTranscript(read()).runs)
      if (run.folder !== undefined && run.folder.startsWith("/"))
        expect(gistOf(onDrive(run, run.folder))).toEqual(gistOf(run));
  });

  it.each(hardCalls)("$name is read the same with CR LF", (call) => {
    const gist = (change: (text: string) => string): object => {
      const events: RunEvent[] = [];
      const run = codingRun({ id: "r", clock: () => 1 });
      run.subscribe((part) => void events.push(...part));
      const { tool, input, outcome = "ok", exitCode, output } = call;
      const answer = run.beforeTool({ tool, input });
      const result = { outcome, output: mapTexts(output, change), ...(exitCode !== undefined && { exitCode }) };
      if (answer.allow) run.record({ type: "tool.finished", call: answer.call, tool, ...result });
      run.end();
      return gistOfEvents(events);
    };
    expect(gist(crlf)).toEqual(gist((text) => text));
  });
});
