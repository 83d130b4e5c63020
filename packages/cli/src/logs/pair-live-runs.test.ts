import { describe, expect, it } from "vitest";
import type { FoundLog } from "./find-logs.ts";
import { pairLiveRuns } from "./pair-live-runs.ts";

const ID = "374d0380-0a35-4516-976f-65644d3940a5";
const live = (run: string): FoundLog => ({
  tool: "phasekit",
  title: "Phasekit",
  path: "/home/u/.phasekit/runs",
  name: run,
  run,
  updatedAt: 2,
  bytes: 0,
});
const log = (tool: string, path: string, more: Partial<FoundLog> = {}): FoundLog => ({
  tool,
  title: tool.toUpperCase(),
  path: `/home/u/${path}`,
  name: path,
  updatedAt: 1,
  bytes: 9,
  ...more,
});

describe("pairLiveRuns", () => {
  it.each([
    log("claude-code", `.claude/projects/-app/${ID}.jsonl`),
    log("codex", `.codex/sessions/2026/11/17/rollout-2026-11-17T15-12-19-${ID}.jsonl`),
    log("codex", `.codex/archived_sessions/rollout-2026-11-17T15-12-19-${ID}.jsonl.zst`),
    log("gemini-cli", ".gemini/tmp/app/chats/session-2026-11-17T15-12-374d0380.jsonl"),
    log("copilot-cli", `.copilot/session-state/${ID}/events.jsonl`),
    log("pi", `.pi/agent/sessions/--app--/2026-11-17T15-12-42_${ID}.jsonl`),
    log("opencode", ".local/share/opencode/opencode.db", { session: ID }),
  ])("shows a session of $tool once, as the live run, with the tool and folder of its log", (own) => {
    const runs = [live(`${own.tool}-${ID}`), live(`${own.tool}-${ID}.2`)];
    expect(pairLiveRuns(runs, [own])).toEqual(
      runs.map((run) => ({ ...run, tool: own.tool, title: own.title, ownLog: own.path })),
    );
  });

  it("keeps logs of other sessions and tools, and live runs without a log", () => {
    const runs = [live(`codex-${ID}`), live("nightly")];
    const logs = [
      log("claude-code", `.claude/projects/-app/${ID}.jsonl`),
      log("codex", ".codex/sessions/rollout-374d0380-ffff-4516-976f-65644d3940a5.jsonl"),
      log("opencode", ".local/share/opencode/opencode.db", { session: "" }),
    ];
    expect(pairLiveRuns(runs, logs)).toEqual([...runs, ...logs]);
  });
});
