import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { emptyHome, phasekitHere } from "./run-cli.ts";

function put(path: string, lines: readonly (object | string)[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
}

// eslint-disable-next-line max-params -- a table row
const answer = (id: string, at: string, output: number, cwd = "/home/dev/app") => ({
  type: "assistant",
  uuid: `${id}-${String(output)}`,
  parentUuid: null,
  sessionId: "0b1c2d3e-0000-4000-8000-000000000001",
  version: "2.0.0",
  timestamp: at,
  cwd,
  message: {
    id,
    role: "assistant",
    model: "claude-opus-4-5",
    content: [{ type: "text", text: "…" }],
    usage: { input_tokens: 100, cache_read_input_tokens: 1000, cache_creation_input_tokens: 10, output_tokens: output },
  },
});

const tokenCount = (at: string, total: number) => ({
  type: "event_msg",
  timestamp: at,
  payload: {
    type: "token_count",
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: { input_tokens: 500, cached_input_tokens: 200, output_tokens: 50 },
    },
  },
});

/** Two sessions of Claude Code, the second one resumed from the first, a sub-agent, and a fork of a Codex session. */
function homeWithLogs(): string {
  const home = emptyHome();
  const claude = join(home, ".claude/projects/-home-dev-app");
  const first = answer("m1", "2026-03-01T23:30:00.000Z", 5);
  put(join(claude, "one.jsonl"), [
    { type: "user", message: { content: 'not an answer: "usage":{' } },
    // A streamed answer is there twice, and grows.
    { ...first, message: { ...first.message, usage: { ...first.message.usage, output_tokens: 1 } } },
    first,
    '{"type":"assistant","message":{"usage":{broken',
  ]);
  put(join(claude, "two.jsonl"), [first, answer("m2", "2026-03-02T10:00:00.000Z", 7, "/home/dev/app/src")]);
  put(join(claude, "one/subagents/agent-a.jsonl"), [answer("m3", "2026-03-02T11:00:00.000Z", 9)]);
  const codex = [
    { type: "session_meta", timestamp: "2026-03-02T12:00:00.000Z", payload: { id: "c", cwd: "/home/dev/other" } },
    { type: "turn_context", timestamp: "2026-03-02T12:00:00.000Z", payload: { model: "gpt-5" } },
    {
      type: "response_item",
      timestamp: "2026-03-02T12:00:01.000Z",
      payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    },
    tokenCount("2026-03-02T12:00:01.000Z", 550),
    tokenCount("2026-03-02T12:00:02.000Z", 550),
  ];
  for (const name of ["a", "b"])
    put(join(home, `.codex/sessions/2026/03/02/rollout-2026-03-02T12-00-00-${name}.jsonl`), codex);
  return home;
}

interface Sum {
  readonly key: string;
  readonly runs: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly tokens: number;
}

async function usageOf(home: string, ...args: readonly string[]) {
  const { out, code } = await phasekitHere(["usage", ...args, "--json"], { home });
  return { code, ...(JSON.parse(out) as { rows: readonly Sum[]; total: Sum; path?: string }) };
}

describe("phasekit usage", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("usage counts each answer once, those of sub-agents too", async () => {
    const { total, rows } = await usageOf(homeWithLogs(), "--by", "tool");
    expect(total).toMatchObject({ runs: 3, input: 600, output: 71, cacheRead: 3200, cacheWrite: 30, tokens: 3901 });
    expect(rows.map(({ key, output }) => [key, output])).toEqual([
      ["Claude Code", 21],
      ["Codex", 50],
    ]);
  });

  it("usage agrees with runs about tokens and cost", async () => {
    const home = homeWithLogs();
    const { out } = await phasekitHere(["runs", "--tool", "codex", "--json"], { home });
    const { total } = await usageOf(home, "--tool", "codex");
    const [run] = (JSON.parse(out) as { runs: { story: { tokens: number }; cost: object }[] }).runs;
    expect(total).toMatchObject({ tokens: run?.story.tokens, cost: run?.cost });
  });

  it.each([
    ["UTC", ["2026-03-01", "2026-03-02"]],
    ["Asia/Tokyo", ["2026-03-02"]],
  ])("a day in %s begins at midnight there", async (zone, days) => {
    vi.stubEnv("TZ", zone);
    const home = homeWithLogs();
    const { rows } = await usageOf(home);
    expect(rows.map(({ key }) => key)).toEqual(days);
    const since = await usageOf(home, "--since", "2026-03-02", "--tool", "claude-code");
    expect(since.total.output).toBe(zone === "UTC" ? 16 : 21);
  });

  it("usage groups by the project of the session, and takes the filters of runs", async () => {
    const home = homeWithLogs();
    const { rows } = await usageOf(home, "--by", "project");
    expect(rows.map(({ key }) => key).sort()).toEqual(["app", "other"]);
    expect((await usageOf(home, "--project", "other")).total.output).toBe(50);
    expect((await phasekitHere(["usage", "--project", "none"], { home })).code).toBe(3);
    expect((await phasekitHere(["usage"])).code).toBe(3);
  });

  it("usage --verified counts the runs that are verified", async () => {
    const { rows } = await usageOf(homeWithLogs(), "--by", "tool", "--verified");
    expect(rows).toMatchObject([
      { key: "Claude Code", judged: 2, verified: 0 },
      { key: "Codex", judged: 2, verified: 0 },
    ]);
  });

  it("usage --out writes a page without scripts that escapes foreign text, and overwrites no other file", async () => {
    const home = homeWithLogs();
    put(join(home, ".claude/projects/-x/three.jsonl"), [
      answer("m9", "2026-03-03T10:00:00.000Z", 1, "/home/dev/<img src=x onerror=alert(1)>"),
    ]);
    const out = join(home, "page.html");
    await usageOf(home, "--by", "project", "--out", out);
    const page = readFileSync(out, "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/<script|<img/);
    expect(page.match(/<rect /g)).toHaveLength(3);
    writeFileSync(out, "mine");
    const { code } = await phasekitHere(["usage", "--out", out], { home });
    expect({ code, text: readFileSync(out, "utf8") }).toEqual({ code: 2, text: "mine" });
  });

  it("usage stops at Ctrl-C and prints what it has", async () => {
    const home = homeWithLogs();
    const text = JSON.stringify({ type: "user", text: "x".repeat(9 * 1024 * 1024) });
    for (const name of ["big1", "big2"]) put(join(home, `.claude/projects/-home-dev-app/${name}.jsonl`), [text]);
    const stop = new AbortController();
    stop.abort();
    const { code } = await phasekitHere(["usage"], { home, signal: stop.signal });
    expect(code).toBe(130);
  });
});
