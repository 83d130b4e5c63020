import { execFileSync } from "node:child_process";
import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createClaudeSession } from "../../../test/claude-session.ts";
import { emptyHome } from "../../../test/run-cli.ts";
import { readOwnLog } from "./own-log.ts";

/** A session in the log of Claude Code, and where it is. */
function session(id = "s-1") {
  const home = emptyHome();
  const claude = createClaudeSession(home, "/srv/app", { id });
  claude.prompt("Fix it");
  claude.edit("/srv/app/a.js");
  claude.says("Fixed!");
  return { home, path: join(home, ".claude/projects/-srv-app", `${id}.jsonl`) };
}

describe("readOwnLog", () => {
  it("readOwnLog returns the events of the session", async () => {
    const log = await readOwnLog(session().path, "s-1");
    expect(log).toMatchObject({
      events: expect.arrayContaining([expect.objectContaining({ type: "tool.finished" })]) as object,
    });
  });

  it("readOwnLog refuses the log of another session", async () => {
    expect(await readOwnLog(session("s-2").path, "s-1")).toEqual({ why: "its log is about another session" });
  });

  it.runIf(process.getuid !== undefined)("readOwnLog refuses the log of another user", async () => {
    const uid = (process.getuid?.() ?? 0) + 1;
    expect(await readOwnLog(session().path, "s-1", { uid })).toEqual({ why: "its log belongs to another user" });
  });

  it("readOwnLog refuses a log of a hundred megabytes without reading it", async () => {
    const { path } = session();
    truncateSync(path, 100 * 1024 * 1024);
    expect(await readOwnLog(path, "s-1")).toEqual({ why: "its log is larger than 16 MB" });
  });

  it("readOwnLog gives up on a log that takes too long", async () => {
    const { path } = session();
    expect(await readOwnLog(path, "s-1", { limitMs: -1 })).toEqual({ why: "its log could not be read within -1 ms" });
  });

  it.runIf(process.platform !== "win32")("readOwnLog waits for no pipe, and reads no folder", async () => {
    const { home } = session();
    const pipe = join(home, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await readOwnLog(pipe, "s-1")).toEqual({ why: "its log is not a file" });
    expect(await readOwnLog(home, "s-1")).toMatchObject({ why: expect.stringMatching(/^its log/) as string });
    expect(await readOwnLog(join(home, "gone"), "s-1")).toEqual({ why: "its log cannot be read" });
  });

  it("readOwnLog reads around broken lines and half a character at the end", async () => {
    const { path } = session();
    appendFileSync(path, '{"type": "user", "broken\n');
    appendFileSync(path, Buffer.from([0x7b, 0xe2, 0x82]));
    expect(await readOwnLog(path, "s-1")).toHaveProperty("events");
    writeFileSync(path, "");
    expect(await readOwnLog(path, "s-1")).toHaveProperty("why");
  });
});
