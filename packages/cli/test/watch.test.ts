import { hookPaths } from "../src/hooks/client/hook-paths.ts";
import { createHookServer } from "../src/hooks/server/hook-server.ts";
import { createRun, type RunEvent } from "@phasekit/core";
import { codingRunOptions } from "@phasekit/coding";
import { createFileStore } from "@phasekit/ledger/node";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import picocolors from "picocolors";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findLogs } from "../src/logs/find-logs.ts";
import { logPlaces } from "../src/logs/log-places.ts";
import { ownRuns } from "../src/logs/own-runs.ts";
import { renderWatch } from "../src/render/watch-lines.ts";
import { textWidth } from "../src/clean-text.ts";
import { createMachineWatch, type MachineRun, type MachineWatch } from "../src/watch/watch-machine.ts";
import { createClaudeSession } from "./claude-session.ts";
import { createFakeTty, keys } from "./fake-tty.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

const tools = new Map([["claude-code", "Claude Code"]]);
const leavings: AbortController[] = [];

afterEach(() => {
  for (const leaving of leavings.splice(0)) leaving.abort();
});

/** Watches the Claude Code logs of a home, and the runs of a store. */
function watchHome(home: string, { store = "", settleMs = 0, now = Date.now } = {}): MachineWatch {
  const leaving = new AbortController();
  leavings.push(leaving);
  return createMachineWatch({
    find: async () => [
      ...(await Promise.all(logPlaces({ HOME: home }).map(findLogs))).flat(),
      ...(store === "" ? [] : await ownRuns(store)),
    ],
    tools,
    runOptions: codingRunOptions({ mode: "observe" }),
    now,
    signal: leaving.signal,
    scanMs: 10,
    pollMs: 10,
    settleMs,
  });
}

const until = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 20 });

describe("createMachineWatch", () => {
  it("createMachineWatch follows a log as it grows", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls", "a.js");
    const watch = watchHome(home);
    await until(() => {
      expect(watch.runs()).toMatchObject([{ agent: "Claude Code", project: "app", state: "working", owed: [] }]);
    });
    session.edit("/srv/app/a.js");
    session.call("ls", "a.js");
    await until(() => {
      expect(watch.runs()).toMatchObject([
        { story: { phase: "acting", work: { edits: 1 } }, owed: ["a test run after the last edit"] },
      ]);
    });
    for (let time = 0; time < 6; time += 1) session.call("node build.js", "Error: Cannot find module\n[exit code: 1]");
    session.call("ls", "a.js");
    await until(() => {
      expect(watch.runs()[0]?.alert).toMatchObject({
        kind: "stall",
        about: expect.stringContaining("node build.js") as string,
      });
    });
  });

  it("createMachineWatch starts over with a truncated or replaced log, and drops a deleted one", async () => {
    const home = emptyHome();
    const { path, ...session } = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    for (let time = 0; time < 5; time += 1) session.call(`cat ${String(time)}.js`, String(time));
    session.says("Done");
    session.prompt("More");
    const watch = watchHome(home);
    const calls = (): readonly number[] => watch.runs().map(({ story }) => story.calls);
    await until(() => {
      expect(calls()).toEqual([5]);
    });
    const text = readFileSync(path, "utf8");
    const short = `${text.split("\n").slice(0, 5).join("\n")}\n`;
    writeFileSync(path, short);
    await until(() => {
      expect(calls()).toEqual([2]);
    });
    // A replaced file is another file, even if it is larger.
    writeFileSync(`${path}.new`, text);
    const before = statSync(path).ino;
    renameSync(`${path}.new`, path);
    expect(statSync(path).ino).not.toBe(before);
    await until(() => {
      expect(calls()).toEqual([5]);
    });
    rmSync(path);
    await until(() => {
      expect(calls()).toEqual([]);
    });
  });

  it("createMachineWatch agrees with why about a log that no longer grows", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.edit("/srv/app/a.js");
    session.says("Fixed!");
    const watch = watchHome(home, {});
    await until(() => {
      expect(watch.runs()).toMatchObject([{ state: "ended", story: { reason: "done_unverified", verified: false } }]);
    });
    const { out } = await phasekitHere(["why", "--json"], { home });
    const { story } = JSON.parse(out) as { readonly story: object };
    // The title is the user's own words: the screen has it, `why --json` does not.
    expect(JSON.parse(JSON.stringify(watch.runs()[0]?.story))).toEqual({ ...story, title: "Fix it" });
    session.prompt("And the tests?");
    session.call("ls", "a.js");
    await until(() => {
      expect(watch.runs()[0]?.story.calls).toBe(2);
    });
  });

  it("createMachineWatch shows a log without an end as interrupted once it is not written any more", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls", "a.js");
    let later = 0;
    const watch = watchHome(home, { now: () => Date.now() + later });
    await until(() => {
      expect(watch.runs()).toMatchObject([{ state: "working" }]);
    });
    later = 6 * 60_000;
    expect(watch.runs()).toMatchObject([{ state: "interrupted" }]);
  });

  it("createMachineWatch shows an own run as interrupted when its process is gone", async () => {
    const store = join(emptyHome(), ".phasekit/runs");
    for (const { id, pid } of [
      { id: "alive", pid: process.pid },
      { id: "dead", pid: 2 ** 22 + 1 },
    ]) {
      const run = createRun({ id });
      const events: RunEvent[] = [];
      run.subscribe((step) => void events.push(...step));
      run.beforeTurn();
      const writer = createFileStore(store, {
        ...(pid !== process.pid && {
          processes: {
            self: () => ({ pid, start: "1", boot: "b", host: "h", space: "", nonce: id }),
            isGone: () => false,
          },
        }),
      });
      await writer.append(id, events, { after: 0 });
    }
    const watch = watchHome(emptyHome(), { store });
    await until(() => {
      expect(Object.fromEntries(watch.runs().map(({ about, state }) => [about.id, state]))).toMatchObject({
        alive: "working",
        dead: "interrupted",
      });
    });
  });

  it("createMachineWatch shows a session once that hooks and the agent both record", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls", "a.js");
    const paths = hookPaths(join(home, ".phasekit"));
    const server = createHookServer({ paths });
    const hook = (event: string, payload: object) =>
      server.takeEvent(
        { agent: "claude-code", event },
        JSON.stringify({ session_id: "s-1", cwd: "/srv/app", hook_event_name: event, ...payload }),
      );
    await hook("UserPromptSubmit", { prompt: "Fix it" });
    await hook("PreToolUse", { tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "ls" } });
    const watch = watchHome(home, { store: paths.runs });
    await until(() => {
      const [run, ...others] = watch.runs();
      expect(others).toEqual([]);
      // The tokens are in the log, the decisions in the run of the hooks.
      expect(run).toMatchObject({ agent: "Claude Code", project: "app", log: { tool: "phasekit" } });
      expect(run?.story.tokens).toBe(1010);
    });
    await server.close();
  });
});

describe("phasekit watch", () => {
  it("watch --once says how to get a run if there is none", async () => {
    const { code, out } = await phasekitHere(["watch", "--once"]);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "phasekit watch",
        "",
        "No agent on this machine has worked in the last 15 min.",
        "A run appears here when an agent starts to work. To see one, open another",
        "terminal and run:",
        "  phasekit demo --store .phasekit/runs",
        "",
        "",
      ].join("\n"),
    );
  });

  it("watch prints a line per event to a pipe until it is stopped", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls", "a.js");
    const leaving = new AbortController();
    let out = "";
    const watching = phasekitHere(["watch"], {
      home,
      signal: leaving.signal,
      onOut: (text) => {
        out += text;
        return Promise.resolve();
      },
    });
    await until(() => {
      expect(out).toContain("Claude Code · app · s-1  working");
    });
    session.edit("/srv/app/a.js");
    session.call("ls", "a.js");
    await until(() => {
      expect(out).toMatch(/^Claude Code · app · s-1 +PHASE +exploring → acting/m);
    });
    leaving.abort();
    expect((await watching).code).toBe(0);
  });

  it("watch --json prints an object per change, then one with all runs", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls \u001b[2J\u202e", "a.js");
    const leaving = new AbortController();
    let out = "";
    const watching = phasekitHere(["watch", "--json"], {
      home,
      signal: leaving.signal,
      onOut: (text) => {
        out += text;
        return Promise.resolve();
      },
    });
    await until(() => {
      expect(out).toContain('"event":"run"');
    });
    leaving.abort();
    await watching;
    const lines = out.trimEnd().split("\n");
    const objects = lines.map((line) => JSON.parse(line) as object);
    expect(objects[0]).toMatchObject({ v: 2, command: "watch", event: "run", id: "s-1", state: "working", owed: [] });
    expect(objects.at(-1)).toMatchObject({ v: 2, command: "watch", exitCode: 0, runs: [{ id: "s-1" }] });
    for (const bad of ["\u001b", "\u202e"]) expect(out).not.toContain(bad);
  });

  it("watch draws only what changed, follows the size, and restores the terminal", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    session.call("ls", "a.js");
    const tty = createFakeTty({ columns: 100, rows: 20 });
    const watching = phasekitHere(["watch"], { home, tty });
    await until(() => {
      expect(tty.written()).toContain("working");
    });
    expect(tty.written()).toContain("\u001b[?1049h");
    expect(tty.isRaw()).toBe(true);
    const before = tty.written().length;
    tty.resize(40, 10);
    await until(() => {
      expect(tty.written().slice(before)).toContain("\u001b[2J");
      expect(tty.written().slice(before)).toContain("s-1");
    });
    // Two frames later only the age of the last event is drawn again.
    const after = tty.written().length;
    await until(() => {
      expect(tty.written().length).toBeGreaterThan(after);
    });
    expect(tty.written().slice(after)).not.toContain("phasekit watch");
    tty.type("q");
    expect((await watching).code).toBe(0);
    expect(tty.written().endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
    expect(tty.isRaw()).toBe(false);
  });

  it("watch restores the terminal on Ctrl-C", async () => {
    const tty = createFakeTty();
    const watching = phasekitHere(["watch"], { tty });
    await until(() => {
      expect(tty.written()).toContain("No agent");
    });
    tty.type(keys.ctrlC);
    expect((await watching).code).toBe(0);
    expect(tty.written().endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  });

  it.each([
    [["watch", "--since", "soon"], 2],
    [["watch", "--tol", "x"], 2],
  ])("%j is refused before the screen changes", async (args, code) => {
    const home = emptyHome();
    createClaudeSession(home, "/srv/app", { id: "s-1" }).prompt("Fix it");
    const tty = createFakeTty();
    expect((await phasekitHere(args, { home, tty })).code).toBe(code);
    expect(tty.written()).toBe("");
  });
});

describe("renderWatch", () => {
  const frame = { now: 10_000, window: "15 min", colors: picocolors.createColors(false) };
  const run = (more: Partial<MachineRun> = {}): MachineRun =>
    ({
      about: { id: "0123456789abcdef0123456789abcdef", format: "claude-code" },
      agent: "Claude Code",
      project: "my-app",
      state: "working",
      owed: ["tests-fresh: No test ran after the last edit."],
      isWaiting: false,
      alert: { kind: "repeat", count: 4, severity: "warning", about: "bash \u001b[2Jnode build.js\u202e" },
      story: {
        phase: "acting",
        turns: 12,
        tokens: 1_200_000,
        usage: { inputTokens: 1_190_000, outputTokens: 10_000, unknownCalls: 0 },
        endedAt: 8000,
        startedAt: 1,
        phases: [
          { phase: "exploring", share: 0.25 },
          { phase: "acting", share: 0.75 },
        ],
        blind: [],
      },
      log: { updatedAt: 8000 },
      ...more,
    }) as unknown as MachineRun;

  it("renderWatch is a table on a wide terminal", () => {
    expect(renderWatch([run()], { ...frame, columns: 110 }).join("\n")).toMatchInlineSnapshot(`
      "phasekit watch · 1 run · 1 working

      agent        run              phases            now     turns  tokens  state
      Claude Code  my-app 01234567  eeeeaaaaaaaaaaaa  acting     12   1.2 M  working 2 s
        ! repeat ×4: bash node build.js
        owed: tests-fresh: No test ran after the last edit.

      e exploring  a acting"
    `);
  });

  it("renderWatch prints the screen that the guide shows", () => {
    const story = (phase: string, turns: number, more: object) => ({
      ...run().story,
      phase,
      turns,
      endedAt: 8000,
      ...more,
    });
    const runs = [
      run({
        about: { id: "6f3b4b02", format: "claude-code" },
        owed: ["a test run after the last edit"],
        alert: { kind: "stall", count: 4, severity: "critical", about: "bash node scripts/build.js" },
        story: story("acting", 14, { tokens: 529_000 }),
      }),
      run({
        about: { id: "019ed836", format: "codex" },
        agent: "Codex",
        project: "api",
        state: "waiting",
        owed: [],
        story: story("verifying", 10, {
          tokens: 270_000,
          usage: { inputTokens: 1, outputTokens: 1, unknownCalls: 0 },
          phases: [
            { phase: "exploring", share: 0.2 },
            { phase: "planning", share: 0.2 },
            { phase: "acting", share: 0.35 },
            { phase: "verifying", share: 0.25 },
          ],
        }),
      }),
      run({
        about: { id: "nightly-7", format: "phasekit" },
        agent: "Phasekit",
        state: "interrupted",
        owed: [],
        story: story("exploring", 4, {
          tokens: 12_000,
          phases: [{ phase: "exploring", share: 1 }],
        }),
      }),
    ];
    const shown = runs.map(({ alert, ...one }, index) =>
      index === 0 && alert !== undefined ? { ...one, alert } : one,
    );
    const lines = renderWatch(shown, { ...frame, now: 10_000, columns: 100 });
    expect(readFileSync(join(import.meta.dirname, "../../../docs/cli.md"), "utf8")).toContain(lines.join("\n"));
  });

  it("renderWatch takes a few lines per run on a narrow terminal", () => {
    expect(renderWatch([run()], { ...frame, columns: 40 }).join("\n")).toMatchInlineSnapshot(`
      "phasekit watch · 1 run · 1 working

      Claude Code · my-app · 01234567
      working 2 s
      eeeeeeaaaaaaaaaaaaaaaaaa
      acting · 12 turns · 1.2 M tokens
        ! repeat ×4: bash node build.js
        owed: tests-fresh: No test ran after
        the last edit.

      e exploring  a acting"
    `);
  });

  it.each([20, 40, 60, 80, 99, 100, 140, 200])("renderWatch fits %d columns", (columns) => {
    const runs = [run(), run({ state: "interrupted" }), run({ agent: "開発エージェント".repeat(8), owed: [] })];
    for (const line of renderWatch(runs, { ...frame, columns })) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  });

  it.each([8, 12, 20])("renderWatch fits %d rows and counts the runs it leaves out", (rows) => {
    const runs = Array.from({ length: 30 }, () => run());
    const lines = renderWatch(runs, { ...frame, columns: 110, rows });
    expect(lines.length).toBeLessThanOrEqual(rows);
    expect(lines.join("\n")).toMatch(/… \d+ more runs/);
  });

  it("renderWatch contains no control characters of foreign text", () => {
    const text = renderWatch([run()], { ...frame, columns: 80 }).join("");
    for (const bad of ["\u001b", "\u202e"]) expect(text).not.toContain(bad);
  });
});
