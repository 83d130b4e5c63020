import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../__fixtures__/sample-logs.ts";
import type { FoundLog } from "../logs/find-logs.ts";
import { statOf } from "../logs/stat-of.ts";
import { loadPolicySet } from "../run-presets.ts";
import { createLogIndex, type LogIndex } from "./log-index.ts";
import { openPrivateCache } from "./private-cache.ts";
import { summarizeLog } from "./summarize-log.ts";

const set = await loadPolicySet("coding", "");

function newLog(text = sampleLogs.verified): FoundLog {
  const path = join(mkdtempSync(join(tmpdir(), "phasekit-log-")), "run.json");
  writeFileSync(path, text);
  return logAt(path);
}

const logAt = (path: string): FoundLog => ({ tool: "file", title: "file", path, name: path, ...statOf(path)! });
const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "phasekit-index-")), "phasekit");
const onlyFile = (folder: string): string => join(folder, "logs", readdirSync(join(folder, "logs"))[0]!);
const indexIn = (folder: string, reader: string): LogIndex => createLogIndex(openPrivateCache(folder), reader);

describe("LogIndex", () => {
  it("returns the same summary that was read", async () => {
    const [log, folder] = [newLog(), newFolder()];
    const summary = await summarizeLog(log, { set });
    indexIn(folder, "one").prepare(log)(summary);
    expect(indexIn(folder, "one").get(log)).toEqual(JSON.parse(JSON.stringify(summary)));
  });

  it("does not return the summary of a log that changed, or of another reader", async () => {
    const [log, folder] = [newLog(), newFolder()];
    indexIn(folder, "one").prepare(log)(await summarizeLog(log, { set }));
    expect(indexIn(folder, "two").get(log)).toBeUndefined();
    expect(indexIn(folder, "one").get({ ...log, bytes: log.bytes + 1 })).toBeUndefined();
    expect(indexIn(folder, "one").get({ ...log, updatedAt: log.updatedAt + 1 })).toBeUndefined();
    expect(indexIn(folder, "one").get({ ...log, path: `${log.path}2` })).toBeUndefined();
  });

  it("keeps a summary under the state before the log was read", async () => {
    const [log, folder] = [newLog(), newFolder()];
    const index = indexIn(folder, "one");
    const keep = index.prepare(log);
    writeFileSync(log.path, sampleLogs.unverified);
    keep(await summarizeLog(log, { set }));
    expect(index.get(logAt(log.path))).toBeUndefined();
  });

  it.each([
    ["cut off", (path: string) => truncateSync(path, 100)],
    ["empty", (path: string) => truncateSync(path, 0)],
    ["not JSON", (path: string) => writeFileSync(path, "\u0000\u0001 garbage")],
    ["another shape", (path: string) => writeFileSync(path, '{"reader":"one","summary":[]}')],
    ["null", (path: string) => writeFileSync(path, "null")],
  ])("ignores a file that is %s, and replaces it", async (_what, damage) => {
    const [log, folder] = [newLog(), newFolder()];
    const index = indexIn(folder, "one");
    const summary = await summarizeLog(log, { set });
    index.prepare(log)(summary);
    damage(onlyFile(folder));
    expect(index.get(log)).toBeUndefined();
    index.prepare(log)(summary);
    expect(index.get(log)).toBeDefined();
  });

  it("is readable by this user only, and leaves no parts", async () => {
    const [log, folder] = [newLog(), newFolder()];
    indexIn(folder, "one").prepare(log)(await summarizeLog(log, { set }));
    expect(readdirSync(join(folder, "logs"))).toHaveLength(1);
    expect(statSync(onlyFile(folder)).mode & 0o777).toBe(0o600);
    for (const path of [folder, join(folder, "logs")]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it("keeps nothing, without an error, where it cannot write", async () => {
    const log = newLog();
    const file = join(mkdtempSync(join(tmpdir(), "phasekit-index-")), "file");
    writeFileSync(file, "not a folder");
    const index = indexIn(join(file, "phasekit"), "one");
    index.prepare(log)(await summarizeLog(log, { set }));
    expect(index.get(log)).toBeUndefined();
  });

  it("keeps no summary of a log whose files are not known", async () => {
    const [log, folder] = [newLog(), newFolder()];
    const index = indexIn(folder, "one");
    index.prepare({ ...log, tool: "opencode" })(await summarizeLog(log, { set }));
    expect(existsSync(folder)).toBe(false);
  });

  it("stores no secret of a log", async () => {
    // Built here, so that no scanner takes them for real.
    const secrets = [
      `ghp_${"a1B2c3D4e5F6".repeat(3)}`,
      `sk-ant-api03-${"Zx9Yw8Vu7Ts6".repeat(7)}AA`,
      ["AKIA", "Q3W4E5R6T7Y8U9I0"].join(""),
      ["postgres://admin:", "hunter2secret", "@db.internal/prod"].join(""),
    ];
    const messages = secrets.flatMap((secret, index) => {
      const id = `call_${String(index)}`;
      const input = JSON.stringify({ path: `deploy/${secret}.ts`, old_string: "a", new_string: secret });
      return [
        { role: "user", content: `Use ${secret}` },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id, type: "function", function: { name: "edit_file", arguments: input } }],
        },
        { role: "tool", tool_call_id: id, content: `token ${secret} in deploy` },
      ];
    });
    const ending = { role: "assistant", content: `It fails with ${secrets.join(" ")}` };
    const log = newLog(JSON.stringify({ messages: [...Array.from({ length: 8 }, () => messages).flat(), ending] }));
    const folder = newFolder();
    indexIn(folder, "one").prepare(log)(await summarizeLog(log, { set }));
    const stored = readFileSync(onlyFile(folder), "utf8");
    expect(stored).toContain("deploy");
    for (const secret of secrets) expect(stored).not.toContain(secret.replace("postgres://admin:", "").slice(0, 12));
  });
});
