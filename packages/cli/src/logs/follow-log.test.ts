import { codingRunOptions } from "@phasekit/coding";
import type { RunEvent, RunOptions } from "@phasekit/core";
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { chatLog } from "../__fixtures__/sample-logs.ts";
import { followLog } from "./follow-log.ts";

const options: RunOptions = codingRunOptions({ mode: "observe" });
const said = (id: string, text: string, at: string): string =>
  `${JSON.stringify({
    type: "assistant",
    uuid: id,
    sessionId: "s1",
    timestamp: at,
    message: { id, role: "assistant", model: "m", content: [{ type: "text", text }], stop_reason: "end_turn" },
  })}\n`;
const asked = (id: string, at: string): string =>
  `${JSON.stringify({
    type: "user",
    uuid: id,
    sessionId: "s1",
    timestamp: at,
    message: { role: "user", content: "Go on" },
  })}\n`;

describe("followLog", () => {
  it("followLog shows each event that is appended to JSON lines once, and ends on abort", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "phasekit-follow-")), "s1.jsonl");
    writeFileSync(
      path,
      asked("u1", "2026-01-01T00:00:00Z") +
        said("a1", "One", "2026-01-01T00:00:01Z") +
        asked("u2", "2026-01-01T00:00:02Z"),
    );
    const events: RunEvent[] = [];
    const leaving = new AbortController();
    const following = followLog(path, {
      show: (some) => events.push(...some),
      runOptions: options,
      signal: leaving.signal,
      pollMs: 5,
    });
    const answers = (): number => events.filter(({ type }) => type === "model.answered").length;
    await vi.waitFor(
      () => {
        expect(answers()).toBe(1);
      },
      { timeout: 600_000 },
    );
    appendFileSync(path, said("a2", "Two", "2026-01-01T00:00:03Z") + asked("u3", "2026-01-01T00:00:04Z"));
    await vi.waitFor(
      () => {
        expect(answers()).toBe(2);
      },
      { timeout: 600_000 },
    );
    expect(events.some(({ type }) => type === "run.finished")).toBe(false);
    leaving.abort();
    await following;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    // The log just stops, so its run has no end.
    expect(events.at(-1)?.type).toBe("message.received");
  });

  it("followLog rereads a rewritten document and shows only new events", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "phasekit-follow-")), "chat.json");
    const call = { tool: "read_file", input: { path: "a.ts" }, output: "x" };
    writeFileSync(path, chatLog([call]));
    const events: RunEvent[] = [];
    const leaving = new AbortController();
    const following = followLog(path, {
      show: (some) => events.push(...some),
      runOptions: options,
      signal: leaving.signal,
      pollMs: 5,
    });
    const calls = (): number => events.filter(({ type }) => type === "tool.finished").length;
    await vi.waitFor(
      () => {
        expect(calls()).toBe(1);
      },
      { timeout: 600_000 },
    );
    writeFileSync(path, chatLog([call, { ...call, input: { path: "b.ts" } }]));
    await vi.waitFor(
      () => {
        expect(calls()).toBe(2);
      },
      { timeout: 600_000 },
    );
    leaving.abort();
    await following;
    expect(calls()).toBe(2);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });
});
