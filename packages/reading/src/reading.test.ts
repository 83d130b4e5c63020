import { createRun, type Run, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { englishLexicon } from "./answers/lexicon.ts";
import { reading, type ReadingOptions } from "./reading.ts";

function startRun(options: ReadingOptions = {}): { readonly run: Run; readonly log: RunEvent[] } {
  const run = createRun<string>({ interpret: reading(options) });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  return { run, log };
}

interface Finished {
  readonly outcome?: "ok" | "error";
  readonly output?: unknown;
  readonly exitCode?: number;
}

function finish(run: Run, input: unknown, result: Finished = {}): void {
  const { call } = run.beforeTool({ tool: "bash", input });
  run.record({ type: "tool.finished", call, outcome: "ok", output: "", ...result });
}

const meanings = (log: readonly RunEvent[]): readonly object[] =>
  log.flatMap((event) => (event.type === "tool.finished" ? [event.meaning] : []));

describe("reading", () => {
  it("stores what a call asks, what it does and what its answer is worth", () => {
    const { run, log } = startRun();
    finish(run, { command: "npm test" }, { output: "12 passed" });
    finish(run, { command: "npm test" }, { output: "12 passed" });
    const [first, second] = meanings(log);
    expect(first).toMatchObject({ activity: "test", effect: "check", answer: "value", gain: 1 });
    expect(first).not.toHaveProperty("moved");
    expect(second).toMatchObject({ gain: 0, moved: false });
    expect((first as { about: string }).about).toBe((second as { about: string }).about);
  });

  it("takes other readers of one file for one question", () => {
    const { run, log } = startRun();
    const output = Array.from({ length: 12 }, (_, line) => `const value${"abcdefghijkl"[line] ?? ""} = read();`).join(
      "\n",
    );
    for (const command of ["cat src/a.ts", "head -40 src/a.ts", "sed -n 1,40p src/a.ts"])
      finish(run, { command }, { output });
    const read = meanings(log) as readonly { readonly about?: string; readonly moved?: boolean }[];
    expect(new Set(read.map(({ about }) => about)).size).toBe(1);
    expect(read.map(({ moved }) => moved)).toEqual([undefined, false, false]);
  });

  it("says nothing about answers before the host has shown one", () => {
    const { run, log } = startRun();
    finish(run, { command: "cat a.ts" });
    finish(run, { command: "cat a.ts" }, { exitCode: 0 });
    finish(run, { command: "cat b.ts" });
    const [missing, empty, later] = meanings(log);
    expect(missing).not.toHaveProperty("gain");
    expect([empty, later]).toMatchObject([{ answer: "nothing" }, { answer: "nothing" }]);
  });

  it("takes a moving line number in an error for the same answer", () => {
    const { run, log } = startRun();
    for (const line of [31, 46, 61])
      finish(
        run,
        { command: "javac A.java" },
        { outcome: "error", output: `bash: line ${line}: javac: command not found` },
      );
    expect(meanings(log).map((meaning) => (meaning as { moved?: boolean }).moved)).toEqual([undefined, false, false]);
  });

  it("reads answers in the words of another lexicon", () => {
    const lexicon = { ...englishLexicon, failure: ["fehler"], nothing: [], pending: [] };
    const { run, log } = startRun({ lexicon });
    finish(run, { command: "x" }, { output: "Fehler: Datei fehlt" });
    finish(run, { command: "y" }, { output: "error" });
    expect(meanings(log)).toMatchObject([{ answer: "failure" }, { answer: "done" }]);
  });

  it("takes any output, also one without JSON", () => {
    const { run, log } = startRun();
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    for (const output of [undefined, null, 5, { stdout: "x" }, circular, () => 1, 10n]) finish(run, {}, { output });
    expect(log.filter(({ type }) => type === "policy.failed")).toEqual([]);
    expect(meanings(log)).toHaveLength(7);
  });

  it.each([
    { name: "one long line", text: (size: number) => "a".repeat(size) },
    { name: "many words", text: (size: number) => "ab ".repeat(size / 3) },
    { name: "many lines", text: (size: number) => "x y\n".repeat(size / 4) },
    { name: "many digits", text: (size: number) => "1.".repeat(size / 2) },
    { name: "many slashes", text: (size: number) => "/a".repeat(size / 2) },
    { name: "braces", text: (size: number) => "{".repeat(size) },
  ])("reads $name in linear time", ({ text }) => {
    const { run } = startRun();
    const spend = (size: number): number => {
      const body = text(size);
      const began = process.cpuUsage().user;
      for (let i = 0; i < 5; i += 1) finish(run, { command: body, i }, { output: body });
      return process.cpuUsage().user - began;
    };
    spend(10_000);
    const small = Math.max(spend(10_000), 2000);
    // A hundred times the text; quadratic work would take ten thousand times as long.
    expect(spend(1_000_000)).toBeLessThan(small * 1000);
  });
});
