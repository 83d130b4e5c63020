import { createStory } from "@phasekit/ledger/story";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findLogs, type FoundLog } from "./find-logs.ts";
import { logPlaces } from "./log-places.ts";
import { readLog } from "./read-log.ts";

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "phasekit-home-"));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

// Logs of real agents that were driven by a scripted model.
const live = (file: string): Buffer => readFileSync(join(import.meta.dirname, "../../../transcripts/test/live", file));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

async function logsOf(tool: string, env: Readonly<Record<string, string>> = {}): Promise<readonly FoundLog[]> {
  const places = logPlaces({ HOME: home, ...env }).filter((place) => place.tool === tool);
  return (await Promise.all(places.map(findLogs))).flat();
}

const runsIn = async (log: FoundLog) =>
  (await readLog(log, { story: createStory, runOptions: { mode: "observe" } })).runs;

/** Writes rows of a real store into a database with the tables they come from. */
function writeStore(path: string, more: readonly object[] = []): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  database.exec(`
    pragma journal_mode = wal;
    create table session (
      id text primary key, directory text, parent_id text, version text, time_created integer, time_updated integer
    );
    create table message (id text primary key, session_id text, time_created integer, data text);
    create table part (id text primary key, message_id text, session_id text, time_created integer, data text);
    create table credential (secret text);
  `);
  const rows = live("opencode-store.jsonl").toString("utf8").trim().split("\n");
  for (const row of [...rows.map((line) => JSON.parse(line) as object), ...more]) {
    const { table, ...members } = row as Readonly<Record<string, string | number | null>>;
    const names = Object.keys(members);
    database
      .prepare(`insert into ${String(table)} (${names.join(",")}) values (${names.map(() => "?").join(",")})`)
      .run(...Object.values(members));
  }
  database.close();
}

describe("findLogs", () => {
  it.each([
    { tool: "codex", path: ".codex/sessions/2026/11/17/rollout-1.jsonl", file: "codex-two.jsonl" },
    { tool: "codex", path: ".codex/archived_sessions/rollout-1.jsonl", file: "codex-two.jsonl" },
    { tool: "copilot-cli", path: ".copilot/session-state/s1/events.jsonl", file: "copilot-cli-two.jsonl" },
    { tool: "pi", path: ".pi/agent/sessions/--repo-sum--/2026_s1.jsonl", file: "pi-two.jsonl" },
    { tool: "gemini-cli", path: ".gemini/tmp/sum/chats/session-1.jsonl", file: "gemini-cli-two.jsonl" },
  ])("finds and reads $path", async ({ tool, path, file }) => {
    write(path, live(file));
    const logs = await logsOf(tool);
    expect(logs.map(({ path: found }) => found)).toEqual([join(home, path)]);
    const [run] = await runsIn(logs[0]!);
    expect(run).toMatchObject({ about: { format: tool, task: { text: "Fix sum in sum.mjs." } }, story: { calls: 4 } });
  });

  it("finds and reads a rollout that Codex compressed", async () => {
    write(".codex/archived_sessions/rollout-1.jsonl.zst", zstdCompressSync(live("codex-two.jsonl")));
    const [run] = await runsIn((await logsOf("codex"))[0]!);
    expect(run?.story.calls).toBe(4);
  });

  it("finds the tasks of Cline in the storage of an editor, named after their folder", async () => {
    const task = [
      { ts: 1, type: "say", say: "task", text: "Read it." },
      { ts: 2, type: "say", say: "api_req_started", text: "{}" },
      { ts: 3, type: "say", say: "completion_result", text: "Done." },
    ];
    write(
      ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772359200000/ui_messages.json",
      JSON.stringify(task),
    );
    const [run] = await runsIn((await logsOf("cline"))[0]!);
    expect(run).toMatchObject({ about: { id: "1772359200000", task: { text: "Read it." } } });
  });
});

describe("the store of opencode", () => {
  const data = ".local/share/opencode";

  it("has one log per session, newest first, by the times of the sessions", async () => {
    writeStore(join(home, data, "opencode.db"));
    const logs = await logsOf("opencode");
    expect(logs.map(({ session, project }) => [session, project])).toEqual([
      ["ses_e160ce581ffeCYQjK0PqUVo4jn", "sum"],
      ["ses_e160cfbd8ffe3pPBiNdsAx6XJE", "sum"],
      ["ses_e160d0efbffebq1sBmrw1KnyvL", "sum"],
      ["ses_e160d37d7ffeH72msV25r2wEKj", "sum"],
    ]);
    const [run] = await runsIn(logs[3]!);
    expect(run).toMatchObject({
      about: { format: "opencode", folder: "/repo/sum", agent: "opencode 1.18.33" },
      story: { calls: 4, turns: 6, reason: "done" },
    });
  });

  it("replaces the files that opencode left behind when it moved to the store", async () => {
    writeStore(join(home, data, "opencode.db"));
    write(`${data}/storage/session/p1/ses_e160d37d7ffeH72msV25r2wEKj.json`, "{}");
    write(`${data}/storage/session/p1/ses_older.json`, "{}");
    utimesSync(join(home, data, "storage/session/p1/ses_older.json"), 1, 1);
    const names = (await logsOf("opencode")).map(({ session, path }) => session ?? path);
    expect(names).toHaveLength(5);
    expect(names.at(-1)).toContain("ses_older.json");
  });

  it("is found under the name of its channel, and where OPENCODE_DB says", async () => {
    writeStore(join(home, data, "opencode-beta.db"));
    expect(await logsOf("opencode")).toHaveLength(4);
    writeStore(join(home, "elsewhere.db"));
    expect(await logsOf("opencode", { OPENCODE_DB: join(home, "elsewhere.db") })).toHaveLength(8);
    writeStore(join(home, data, "mine.db"));
    expect(await logsOf("opencode", { OPENCODE_DB: "mine.db" })).toHaveLength(8);
    expect(await logsOf("opencode", { PHASEKIT_OPENCODE_LOGS: join(home, "nowhere") })).toHaveLength(0);
  });

  it("gives sub-agents as child runs of the session that started them", async () => {
    const child = { version: "1.18.33", directory: "/repo/sum", time_created: 1_794_926_366_000, time_updated: 1 };
    const parent = "ses_e160d37d7ffeH72msV25r2wEKj";
    writeStore(join(home, data, "opencode.db"), [
      { table: "session", id: "ses_child", parent_id: parent, ...child },
      {
        table: "message",
        id: "m1",
        session_id: "ses_child",
        time_created: 1,
        data: '{"role":"user","time":{"created":1}}',
      },
      { table: "part", id: "p1", message_id: "m1", session_id: "ses_child", data: '{"type":"text","text":"Look."}' },
    ]);
    const logs = await logsOf("opencode");
    expect(logs).toHaveLength(4);
    const log = await readLog(logs[3]!, { story: createStory, runOptions: { mode: "observe" } });
    expect(log.runs.map(({ about }) => [about.id, about.parent?.run])).toEqual([
      [parent, undefined],
      ["ses_child", parent],
    ]);
    expect(log.report).toMatchObject({ runs: 2, records: 9 + 2 });
  });

  it("is one log that says why, if it cannot be read", async () => {
    write(`${data}/opencode.db`, "not a database");
    const logs = await logsOf("opencode");
    expect(logs).toMatchObject([{ path: join(home, data, "opencode.db") }]);
    await expect(runsIn(logs[0]!)).rejects.toMatchObject({
      code: "UNREADABLE_STORE",
      message: expect.stringContaining("not a database") as string,
    });
  });
});
