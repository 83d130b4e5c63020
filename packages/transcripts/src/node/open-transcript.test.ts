import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { openPlay, type RunPlay } from "@phasekit/core/adapter";
import { loadTranscript, openTranscript } from "./open-transcript.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-transcripts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const session = (turns: number): string =>
  [
    JSON.stringify({
      type: "user",
      uuid: "u",
      sessionId: "s",
      timestamp: "2026-03-01T10:00:00Z",
      message: { role: "user", content: "gö 😀" },
    }),
    ...Array.from({ length: turns }, (_, index) => [
      JSON.stringify({
        type: "assistant",
        uuid: `a${String(index)}`,
        sessionId: "s",
        message: {
          id: `m${String(index)}`,
          role: "assistant",
          content: [
            { type: "tool_use", id: `c${String(index)}`, name: "Read", input: { file_path: `${String(index)}.ts` } },
          ],
        },
      }),
      JSON.stringify({
        type: "user",
        uuid: `r${String(index)}`,
        sessionId: "s",
        message: {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `c${String(index)}`, content: "ä".repeat(2000) }],
        },
      }),
    ]).flat(),
  ].join("\n");

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("openTranscript", () => {
  it("reads a file as it comes, with characters cut in the middle between chunks", async () => {
    const { runs, report } = await loadTranscript(file("plain.jsonl", session(300)));
    expect(report).toMatchObject({ format: "claude-code", calls: 300, results: 300, broken: {} });
    expect(runs[0]?.task?.text).toBe("gö 😀");
    expect(
      runs[0]?.events
        .filter((event) => event.type === "tool.finished")
        .every(({ output }) => output === "ä".repeat(2000)),
    ).toBe(true);
  });

  it.each([
    { name: "UTF-8 with a byte order mark", bytes: (text: string) => Buffer.from(`\uFEFF${text}`) },
    { name: "UTF-16, low byte first", bytes: (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le") },
    { name: "UTF-16, high byte first", bytes: (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16() },
    { name: "lines that end as on Windows", bytes: (text: string) => Buffer.from(text.replaceAll("\n", "\r\n")) },
  ])("reads $name to the same runs", async ({ bytes }) => {
    const plain = await loadTranscript(file("as-is.jsonl", session(200)));
    const other = await loadTranscript(file("other.jsonl", bytes(session(200))));
    expect(other).toEqual(plain);
  });

  it("yields to the event loop while it reads", async () => {
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 0);
    const { report } = await loadTranscript(file("long.jsonl", session(3000)));
    clearInterval(counting);
    expect(report.calls).toBe(3000);
    expect(turns).toBeGreaterThan(5);
  });

  it("reads a pipe as it is written to", async () => {
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const reading = loadTranscript(path, { format: "claude-code" });
    await writeFile(path, session(3));
    expect((await reading).report).toMatchObject({ calls: 3, results: 3 });
  });

  it("unpacks gzip whatever the name of the file, and reports the bytes it read", async () => {
    const packed = gzipSync(session(50));
    let read = 0;
    for (const name of ["log.jsonl.gz", "log.jsonl"]) {
      read = 0;
      const { report } = await loadTranscript(file(name, packed), {
        onRead: (bytes) => {
          read += bytes;
        },
      });
      expect(report.calls).toBe(50);
      expect(read).toBe(packed.length);
    }
  });

  it("names runs without an id after the file", async () => {
    const text = JSON.stringify([
      { role: "user", content: "go" },
      { role: "assistant", content: "Done." },
    ]);
    const names = await Promise.all(
      ["chat.json", "chat.traj.json", "chat.json.gz"].map(
        async (name) => (await loadTranscript(file(name, name.endsWith("gz") ? gzipSync(text) : text))).runs[0]?.id,
      ),
    );
    expect(names).toEqual(["chat", "chat", "chat"]);
  });

  it.each([
    { name: "a small bomb, by the limit on bytes", options: { maxUnpacked: 8 * 1024 * 1024 }, megabytes: 64 },
    { name: "a bomb, by the limit on its ratio", options: {}, megabytes: 192 },
  ])("gives up on $name", async ({ options, megabytes }) => {
    const path = join(folder, `bomb-${String(megabytes)}.gz`);
    const zeros = Buffer.alloc(1024 * 1024, " ");
    await pipeline(
      Readable.from(Array.from({ length: megabytes }, () => zeros)),
      createGzip(),
      createWriteStream(path),
    );
    const before = process.memoryUsage().rss;
    await expect(loadTranscript(path, { format: "claude-code", ...options })).rejects.toMatchObject({
      code: "TOO_LARGE_UNPACKED",
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  it("reads a truncated or damaged gzip file up to the damage and counts the damage", async () => {
    const packed = gzipSync(session(2000), { level: 1 });
    const cut = await loadTranscript(file("cut.gz", packed.subarray(0, Math.floor(packed.length * 0.8))));
    expect(cut.report.broken).toMatchObject({ "the packed file is cut off": 1 });
    expect(cut.report.calls).toBeGreaterThan(100);
    expect(cut.report.calls).toBeLessThan(2000);
    const damaged = Buffer.from(packed);
    // The last eight bytes are the checksum and the length.
    damaged.fill(0xff, packed.length - 8);
    expect((await loadTranscript(file("damaged.gz", damaged))).report.broken).toMatchObject({
      "the packed file is damaged": 1,
    });
  });

  it("fails for a missing file, an empty file and a folder", async () => {
    await expect(loadTranscript(join(folder, "none.jsonl"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(loadTranscript(file("empty.jsonl", ""))).rejects.toMatchObject({ code: "UNKNOWN_FORMAT" });
    await expect(loadTranscript(folder)).rejects.toMatchObject({ code: "EISDIR" });
  });

  it("does not change the file, and closes it if the reader leaves", async () => {
    const path = file("left.jsonl", session(500));
    const digest = async (): Promise<string> => {
      const hash = createHash("sha256");
      for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
      return hash.digest("hex");
    };
    const before = await digest();
    for await (const batch of openTranscript(path).items) if (batch.length > 0) break;
    expect(await digest()).toBe(before);
  });

  it("plays runs as they are read, and keeps nothing of them", async () => {
    const ended: string[] = [];
    const open = new Map<string, RunPlay<"working">>();
    const { items } = openTranscript(file("play.jsonl", session(20)));
    for await (const batch of items)
      for (const item of batch) {
        if (item.type === "run") open.set(item.run.id, openPlay(item.run));
        else if (item.type === "event") open.get(item.run)?.take(item.event);
        else {
          const play = open.get(item.run);
          play?.end(item.ending);
          ended.push(`${item.run} ${String(play?.run.outcome?.reason)} ${String(play?.run.view.toolCalls)}`);
        }
      }
    expect(ended).toEqual(["s interrupted 20"]);
  });

  it("stops at a small file that unpacks to line ends alone", async () => {
    const packed = gzipSync(`${session(1)}\n${"\n".repeat(17_000_000)}`);
    expect(packed.length).toBeLessThan(50_000);
    await expect(loadTranscript(file("line-ends.gz", packed))).rejects.toMatchObject({ code: "TOO_LARGE_UNPACKED" });
  });

  it("reads a sparse file without keeping the blocks that were never written", async () => {
    const path = file("sparse.jsonl", `${session(1)}\n`);
    truncateSync(path, 40_000_000);
    const { report } = await loadTranscript(path);
    expect(report).toMatchObject({ calls: 1, broken: { "NUL characters": 1 } });
  });
});
