import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chatLog, sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekit, phasekitHere } from "./run-cli.ts";

const byteLength = (text: string): number => Buffer.byteLength(text);
const DAY = 86_400_000;

/** Lists everything below a folder, with size and time. */
const listOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return `${name} ${String(size)} ${String(mtimeMs)}`;
    });

/** Writes a log with a content and a time. */
function writeLog(path: string, text: string, at: Date): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, at, at);
}

/** Writes logs with different stories into a folder. */
function writeSamples(folder: string): void {
  for (const [name, text] of Object.entries(sampleLogs)) writeLog(join(folder, `${name}.json`), text, new Date(DAY));
}

describe("the index of summaries", () => {
  it("gives the same answers as reading the logs, and is not in their folder", async () => {
    const [home, logs] = [emptyHome(), emptyHome()];
    writeSamples(logs);
    const before = listOf(logs);
    const answers = [];
    for (const flags of [["--no-cache"], [], []])
      answers.push(await phasekitHere(["runs", logs, "--json", ...flags], { home, cwd: logs }));
    expect(answers[0]!.code).toBe(0);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(listOf(logs)).toEqual(before);
    expect(readdirSync(join(home, ".cache/phasekit/logs")).length).toBeGreaterThan(1);
  });

  it("is used for a log whose size and time did not change, by `runs` and `why` but not by `check`", async () => {
    const [home, folder] = [emptyHome(), emptyHome()];
    const at = new Date(Date.now() - DAY);
    const path = join(folder, "run.json");
    const calls = async (...args: readonly string[]): Promise<unknown> => {
      const data = JSON.parse((await phasekitHere([...args, "--json"], { home, cwd: folder })).out) as {
        readonly story?: { readonly work: { readonly testRuns: number } };
        readonly runs?: readonly { readonly story: { readonly work: { readonly testRuns: number } } }[];
      };
      return (data.story ?? data.runs?.[0]?.story)?.work.testRuns;
    };
    writeLog(path, sampleLogs.verified, at);
    expect(await calls("runs", path)).toBe(2);
    // The same size and time, as no agent would write it.
    writeLog(
      path,
      sampleLogs.unverified + " ".repeat(byteLength(sampleLogs.verified) - byteLength(sampleLogs.unverified)),
      at,
    );
    expect(await calls("runs", path)).toBe(2);
    expect(await calls("why", path)).toBe(2);
    expect(await calls("check", path)).toBe(0);
    expect(await calls("why", path, "--no-cache")).toBe(0);
    writeLog(path, sampleLogs.unverified, at);
    expect(await calls("why", path)).toBe(0);
  });

  it("is deleted by `cache clear`", async () => {
    const [home, logs] = [emptyHome(), emptyHome()];
    writeSamples(logs);
    await phasekitHere(["runs", logs], { home });
    expect((await phasekitHere(["cache"], { home })).out).toMatch(/\.cache\/phasekit: \d+ files, /);
    expect((await phasekitHere(["cache", "clear"], { home })).out).toContain("Deleted");
    expect(readdirSync(join(home, ".cache"))).toEqual([]);
    expect((await phasekitHere(["runs", logs], { home })).code).toBe(0);
  });

  it("is shared by commands that run at the same time", async () => {
    const [home, logs] = [emptyHome(), emptyHome()];
    writeSamples(logs);
    const answers = await Promise.all([1, 2, 3].map(() => phasekitHere(["runs", logs, "--json"], { home })));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    for (const name of readdirSync(join(home, ".cache/phasekit"), { recursive: true, encoding: "utf8" }))
      if (name.endsWith(".json")) JSON.parse(readFileSync(join(home, ".cache/phasekit", name), "utf8"));
      else expect(name).not.toMatch(/\.part$/);
  });
});

describe("reading on several threads", () => {
  it("gives the answers of one thread, in the same order", async () => {
    const folder = emptyHome();
    const at = new Date(Date.now() - DAY);
    // Enough for two threads.
    const many = chatLog([{ tool: "read_file", input: { path: "a.txt" }, output: "0123456789 ".repeat(200_000) }]);
    for (const name of ["a", "b", "c"]) writeLog(join(folder, `${name}.json`), many, at);
    writeLog(join(folder, "broken.json"), "{ not a log", at);
    const [one, several] = [
      await phasekitHere(["runs", folder, "--json", "--no-cache"]),
      await phasekit(["runs", folder, "--json", "--no-cache"]),
    ];
    expect(several.error).toBe("");
    expect(JSON.parse(several.out)).toEqual(JSON.parse(one.out));
    expect(JSON.parse(one.out)).toMatchObject({ logs: 3, unreadable: [{ code: "UNREADABLE_LOG" }] });
  }, 60_000);
});

describe("the order of runs", () => {
  it("follows the time of the records, not of the files", async () => {
    const home = emptyHome();
    const now = Date.now();
    const ids = ["aaaaaaaa", "bbbbbbbb", "cccccccc"].map((part) => `${part}-1111-4111-8111-111111111111`);
    const session = (id: string, days: number): string =>
      [
        { type: "user", message: { role: "user", content: "Go" } },
        {
          type: "assistant",
          message: { id: "m", role: "assistant", content: [{ type: "text", text: "Done." }], stop_reason: "end_turn" },
        },
      ]
        .map((record, index) =>
          JSON.stringify({
            ...record,
            cwd: "/srv/app",
            sessionId: id,
            uuid: `${id}-${String(index)}`,
            timestamp: new Date(now - days * DAY).toISOString(),
          }),
        )
        .join("\n");
    // A restored home: the oldest session was written last.
    ids.forEach((id, index) => {
      writeLog(
        join(home, `.claude/projects/-srv-app/${id}.jsonl`),
        `${session(id, 1 + index)}\n`,
        new Date(now - (3 - index) * 60_000),
      );
    });
    const { out } = await phasekitHere(["runs", "--limit", "2", "--json"], { home });
    const { runs } = JSON.parse(out) as { readonly runs: readonly { readonly about: { readonly id: string } }[] };
    expect(runs.map(({ about }) => about.id)).toEqual(ids.slice(0, 2));
    expect((await phasekitHere(["why", "--json"], { home })).out).toContain(ids[0]);
    const since = await phasekitHere(["runs", "--since", "36h", "--json"], { home });
    expect((JSON.parse(since.out) as { readonly logs: number }).logs).toBe(1);
  });
});

describe("the sums of runs", () => {
  it("count a sub-run once, and say when a part has no price", async () => {
    const home = emptyHome();
    const id = "dddddddd-1111-4111-8111-111111111111";
    const answer = (model: string, content: object, more: object = {}): object => ({
      type: "assistant",
      message: { role: "assistant", model, content: [content], usage: { input_tokens: 1_000_000, output_tokens: 0 } },
      ...more,
    });
    const side = { isSidechain: true, agentId: "a7" };
    const records = [
      { type: "user", message: { role: "user", content: "Go" } },
      answer("claude-opus-4-5", { type: "tool_use", id: "t1", name: "Task", input: { prompt: "Look." } }),
      { type: "user", message: { role: "user", content: "Look." }, ...side },
      answer("not-a-model", { type: "text", text: "Seen." }, side),
      {
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "Seen." }] },
      },
      answer("claude-opus-4-5", { type: "text", text: "Done." }),
    ].map((record, index) =>
      JSON.stringify({
        isSidechain: false,
        ...record,
        cwd: "/srv/app",
        sessionId: id,
        uuid: `u${String(index)}`,
        timestamp: new Date(Date.now() - DAY + index * 1000).toISOString(),
      }),
    );
    writeLog(join(home, `.claude/projects/-srv-app/${id}.jsonl`), `${records.join("\n")}\n`, new Date());
    const { out } = await phasekitHere(["runs", "--json"], { home });
    const data = JSON.parse(out) as {
      readonly runs: readonly { readonly story: { readonly tokens: number } }[];
      readonly ends: Readonly<Record<string, number>>;
      readonly cost: object;
    };
    expect(data.runs.map(({ story }) => story.tokens)).toEqual([2_000_000, 1_000_000]);
    expect(Object.values(data.ends).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(data.cost).toEqual({ usd: 10, runsWithoutPrice: 1, runsInPart: 0 });
    const text = (await phasekitHere(["runs"], { home })).out;
    expect(text).toContain("≥ $10.00, 1 run without a price");
    expect(text).toMatch(/Cost at list prices of \d{4}-\d{2}-\d{2}\./);
    expect((await phasekitHere(["why"], { home })).out).toMatch(/COST {6}\$10\.00 at list prices of/);
  });
});
