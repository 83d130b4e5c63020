import { alert, createRun, definePolicy, pipelinePhases, type RunEvent } from "@phasekit/core";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { summarizeRun } from "../../summarize-run.ts";
import { memoryFiles, type MemoryFiles } from "../__fixtures__/memory-files.ts";
import { failingFiles } from "../__fixtures__/failing-files.ts";
import { exportRun, importRun } from "./export-run.ts";

const FOLDER = "/disk/archive";

async function exported(
  files: MemoryFiles = memoryFiles(),
): Promise<{ readonly files: MemoryFiles; readonly events: readonly RunEvent[] }> {
  const store = createMemoryStore();
  const events: RunEvent[] = [];
  const detector = definePolicy({
    name: "detector",
    decide: { "validation.failed": () => alert({ kind: "loop", signature: "s", count: 6 }) },
  });
  const run = createRun({ graph: pipelinePhases, id: "r", clock: () => 1_700_000_000_000, policies: [detector] });
  run.subscribe((step) => events.push(...step));
  run.record({ type: "turn.started" });
  run.transition("database", { outcome: "failed", reason: "timeout" });
  run.record({ type: "turn.started" });
  run.record({ type: "validation.failed", path: "a" });
  run.end({ reason: "aborted_stagnation", error: new Error("looped") });
  await store.append("r", events, { after: 0 });
  await exportRun(store, "r", { folder: FOLDER, files });
  return { files, events };
}

const names = (files: MemoryFiles): readonly string[] =>
  files
    .paths()
    .map((path) => path.slice(FOLDER.length + 1))
    .sort();

describe("an archive", () => {
  it("has the names of the source, and comes back whole", async () => {
    const { files, events } = await exported();
    expect(names(files)).toEqual([
      "analyze.checkpoint.json.gz",
      "database.checkpoint.json.gz",
      "database.error.json.gz",
      "events.json.gz",
      "failures/2023-11-14T22-13-20.000Z/database.stagnation.json.gz",
      "summary.json.gz",
    ]);
    const { summary, events: read, sidecars, problems } = importRun(FOLDER, { files });
    expect(problems).toEqual([]);
    expect(read).toEqual(events);
    expect(summary).toEqual(summarizeRun(events));
    expect(sidecars.get("database.error.json.gz")).toMatchObject({
      reason: "aborted_stagnation",
      error: {
        name: "Error",
        message: "looped",
        stack: expect.stringMatching(/^Error: looped\n\s+at /) as string,
      },
    });
    // The summary has no stack, and at most 1 KB of the message.
    expect(summary.phases.at(-1)?.error).toEqual({ name: "Error", message: "looped" });
    expect(sidecars.get("failures/2023-11-14T22-13-20.000Z/database.stagnation.json.gz")).toMatchObject({
      stagnation: { signature: "s", count: 6 },
    });
  });

  it("writes the summary last: an export that fails leaves none, or the old one", async () => {
    for (let at = 1; ; at += 1) {
      const disk = memoryFiles();
      const { files, count } = failingFiles(disk, { at, code: "ENOSPC", persistent: true });
      const failed = await exported(files as MemoryFiles).then(
        () => false,
        () => true,
      );
      if (!failed && count() < at) break;
      if (failed && disk.paths().includes(`${FOLDER}/summary.json.gz`))
        expect(importRun(FOLDER, { files: disk }).problems).toEqual([]);
    }
  });

  const path = `${FOLDER}/database.error.json.gz`;
  it.each<{ readonly name: string; readonly damage: (bytes: Buffer) => Buffer | undefined }>([
    { name: "cut", damage: (bytes) => bytes.subarray(0, -5) },
    {
      name: "one bit flipped",
      damage: (bytes) => {
        const copy = Buffer.from(bytes);
        copy[12] = (copy[12] ?? 0) ^ 1;
        return copy;
      },
    },
    { name: "zeros behind the end", damage: (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]) },
    { name: "a second member", damage: (bytes) => Buffer.concat([bytes, gzipSync("x")]) },
    { name: "another file of the same name", damage: () => gzipSync("{}") },
    { name: "a bomb", damage: () => gzipSync(Buffer.alloc(10_000_000)) },
    { name: "plain text", damage: () => Buffer.from("{}") },
    { name: "nothing", damage: () => Buffer.alloc(0) },
    { name: "missing", damage: () => undefined },
  ])("a sidecar with $name is refused, and the summary still serves", async ({ damage }) => {
    const { files, events } = await exported();
    const bytes = damage(files.get(path));
    if (bytes === undefined) files.remove(path);
    else files.set(path, bytes);
    const { summary, problems, sidecars } = importRun(FOLDER, { files });
    expect(summary).toEqual(summarizeRun(events));
    expect(problems.map(({ name }) => name)).toEqual(["database.error.json.gz"]);
    expect(sidecars.has("database.error.json.gz")).toBe(false);
  });

  it.each([
    "../../etc/passwd",
    "/etc/passwd",
    "a/../../b.json.gz",
    "failures/../x.json.gz",
    "C:\\x.json.gz",
    "a\u0000.json.gz",
    "con.exe",
  ])("a summary that names %s reads nothing there", async (name) => {
    const { files } = await exported();
    const summary = `${FOLDER}/summary.json.gz`;
    const archive = JSON.parse(gunzipSync(files.get(summary)).toString()) as { sidecars: { name: string }[] };
    archive.sidecars[0]!.name = name;
    files.set(summary, gzipSync(JSON.stringify(archive)));
    files.set("/etc/passwd", Buffer.from("secret"));
    expect(importRun(FOLDER, { files }).problems[0]?.problem).toContain("exportRun does not write this name");
  });

  it.each([
    Buffer.alloc(0),
    Buffer.from("no"),
    gzipSync("{}"),
    gzipSync("null"),
    gzipSync('{"v":2}'),
    gzipSync(Buffer.alloc(20_000_000)),
  ])("a summary that is none is refused with a code", async (bytes) => {
    const { files } = await exported();
    files.set(`${FOLDER}/summary.json.gz`, bytes);
    expect(() => importRun(FOLDER, { files })).toThrow(expect.objectContaining({ code: "ARCHIVE_DAMAGED" }) as Error);
  });
});
