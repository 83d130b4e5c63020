import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hookAgents } from "@phasekit/hooks";
import { type AnswerReader, createAnswerReader } from "./answer-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "pk-answers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(folder, `${String((files += 1))}.jsonl`);

const line = (id: string, output: number, more: object = {}): string => {
  const message = { id, usage: { input_tokens: 100, output_tokens: output } };
  return `${JSON.stringify({ type: "assistant", message, ...more })}\n`;
};
const reader = (from: "start" | "end" = "start", limitMs = 60_000, skip = 0): AnswerReader => {
  const { answerLog } = hookAgents["claude-code"];
  if (answerLog === undefined) throw new Error("Claude Code has a log.");
  return createAnswerReader(answerLog, { from, limitMs, skip });
};
const outputs = async (answers: ReturnType<AnswerReader["read"]>): Promise<readonly (number | undefined)[]> =>
  (await answers).map(({ usage }) => usage.outputTokens);

describe("createAnswerReader", () => {
  it("reads what was added since the last call, once", async () => {
    const file = newFile();
    const { read } = reader();
    writeFileSync(file, line("a", 1));
    expect(await outputs(read(file, { all: true }))).toEqual([1]);
    expect(await outputs(read(file, { all: true }))).toEqual([]);
    appendFileSync(file, line("b", 2) + line("c", 3));
    expect(await outputs(read(file, { all: true }))).toEqual([2, 3]);
  });

  it("counts an answer once, with its last line, also if the lines come apart", async () => {
    const file = newFile();
    const { read } = reader();
    writeFileSync(file, line("a", 1));
    expect(await outputs(read(file))).toEqual([]);
    appendFileSync(file, '{"type":"user"}\n' + line("a", 7));
    expect(await outputs(read(file))).toEqual([]);
    appendFileSync(file, line("b", 2));
    expect(await outputs(read(file))).toEqual([7]);
    expect(await outputs(read(file, { all: true }))).toEqual([2]);
    appendFileSync(file, line("b", 9));
    expect(await outputs(read(file, { all: true }))).toEqual([]);
  });

  it("waits for the rest of a line", async () => {
    const file = newFile();
    const { read } = reader();
    const text = line("a", 5);
    writeFileSync(file, text.slice(0, 40));
    expect(await outputs(read(file, { all: true }))).toEqual([]);
    appendFileSync(file, text.slice(40));
    expect(await outputs(read(file, { all: true }))).toEqual([5]);
  });

  it("counts from the end of a log that was there before, and all of one that was not", async () => {
    const file = newFile();
    const late = reader("end");
    writeFileSync(file, line("a", 1));
    expect(await outputs(late.read(file, { all: true }))).toEqual([]);
    appendFileSync(file, line("b", 2));
    expect(await outputs(late.read(file, { all: true }))).toEqual([2]);
    const early = reader("end");
    const other = newFile();
    expect(await outputs(early.read(other))).toEqual([]);
    writeFileSync(other, line("a", 1));
    expect(await outputs(early.read(other, { all: true }))).toEqual([1]);
  });

  it.each([
    ["a folder", (): string => folder],
    ["a missing file", (): string => join(folder, "missing")],
    ["a device", (): string => "/dev/zero"],
  ])("reads nothing from %s", async (_what, path) => {
    expect(await outputs(reader().read(path(), { all: true }))).toEqual([]);
  });

  it("reads nothing from lines that are torn, foreign or made by no model", async () => {
    const file = newFile();
    writeFileSync(
      file,
      [
        '{"usage"\n',
        '"usage"\n',
        line("s", 1, { isSidechain: true }),
        line("e", 1, { isApiErrorMessage: true }),
        `${JSON.stringify({ type: "assistant", message: { usage: { input_tokens: "many", output_tokens: -1 } } })}\n`,
      ].join(""),
    );
    expect(await outputs(reader().read(file, { all: true }))).toEqual([]);
  });

  it("continues after a log was cut", async () => {
    const file = newFile();
    const { read } = reader();
    writeFileSync(file, line("a", 1) + line("b", 2));
    await read(file, { all: true });
    writeFileSync(file, line("c", 3));
    expect(await outputs(read(file, { all: true }))).toEqual([]);
    appendFileSync(file, line("d", 4));
    expect(await outputs(read(file, { all: true }))).toEqual([4]);
  });

  it("skips the answers that an earlier process counted, and all of a log that is too long", async () => {
    const file = newFile();
    writeFileSync(file, line("a", 1) + line("b", 2) + line("c", 3));
    const read = (skip: number): Promise<readonly unknown[]> =>
      outputs(reader("start", 60_000, skip).read(file, { all: true }));
    expect(await read(2)).toEqual([3]);
    expect(await read(5)).toEqual([]);
    appendFileSync(file, `${"x".repeat(17 * 1024 * 1024)}\n`);
    expect(await read(2)).toEqual([]);
  });

  it("skips the middle of a burst and keeps its end", async () => {
    const file = newFile();
    writeFileSync(file, line("a", 1) + `${"x".repeat(17 * 1024 * 1024)}\n` + line("b", 2));
    expect(await outputs(reader().read(file, { all: true }))).toEqual([2]);
  });

  it("brings with the next call what took longer than its limit", async () => {
    const file = newFile();
    writeFileSync(file, line("a", 1));
    const { read } = reader("start", 0);
    let found: readonly (number | undefined)[] = await outputs(read(file, { all: true }));
    while (found.length === 0) found = await outputs(read(file, { all: true }));
    expect(found).toEqual([1]);
  });
});
