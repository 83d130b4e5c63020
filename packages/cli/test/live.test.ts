import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { main } from "../src/main.ts";
import { createTerminal } from "../src/terminal.ts";
import { type CliResult, emptyHome, phasekit, phasekitHere, phasekitJson } from "./run-cli.ts";
import { runHook } from "./run-hook.ts";

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) stopServer(home);
});

/** A machine with a project, on which nothing of Phasekit's is. */
function machine(): { readonly home: string; readonly cwd: string; readonly run: typeof phasekit } {
  const home = emptyHome();
  homes.push(home);
  const cwd = join(home, "project");
  mkdirSync(cwd);
  return { home, cwd, run: (args, options) => phasekit(args, { home, cwd, ...options }) };
}

function stopServer(home: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(home, ".phasekit/hooks.lock"), "utf8")) as { readonly pid: number };
    process.kill(pid, "SIGKILL");
  } catch {
    // There is none.
  }
}

const SETTINGS = '{\n    "model": "x",\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}';

function withSettings(home: string): string {
  const path = join(home, ".claude/settings.json");
  mkdirSync(join(home, ".claude"));
  writeFileSync(path, SETTINGS);
  return path;
}

describe("init <agent>", () => {
  it("installs beside the user's settings with --yes, and --uninstall restores them byte for byte", async () => {
    const { home, run } = machine();
    const path = withSettings(home);
    const installed = await run(["init", "claude-code", "--mode", "nudge", "--statusline", "--yes"]);
    expect([installed.code, installed.error]).toEqual([0, ""]);
    const { hooks, statusLine } = JSON.parse(readFileSync(path, "utf8")) as {
      readonly hooks: Readonly<Record<string, readonly unknown[]>>;
      readonly statusLine: unknown;
    };
    expect(hooks["Stop"]).toHaveLength(2);
    expect(statusLine).toMatchObject({ command: expect.stringMatching(/hook\.cjs" statusline$/) as unknown });
    expect(JSON.parse(readFileSync(join(home, ".phasekit/hooks.json"), "utf8"))).toMatchObject({
      modes: { "claude-code": "nudge" },
      configLoader: expect.stringMatching(/\/live\.mjs$/) as unknown,
    });
    const removed = await run(["init", "claude-code", "--uninstall", "--yes"]);
    expect(removed.out).toBe("Removed Phasekit from Claude Code. Recorded runs are still in ~/.phasekit/runs.\n");
    expect(readFileSync(path, "utf8")).toBe(SETTINGS);
    expect(existsSync(join(home, ".phasekit"))).toBe(false);
    expect(await run(["init", "claude-code", "--uninstall", "--yes"])).toMatchObject({
      code: 0,
      out: "Claude Code has no hooks of Phasekit's in scope user.\n",
    });
  });

  it("--dry-run prints every line, and changes nothing", async () => {
    const { home, run } = machine();
    const path = withSettings(home);
    const { out, code } = await run(["init", "claude-code", "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Install Phasekit into Claude Code, mode observe, scope user\n\n~\/\.claude\/settings\.json\n/,
    );
    expect(out.match(/hook\.cjs\\" claude-code/g)).toHaveLength(12);
    expect(out).toMatch(/Nothing was changed\.\n$/);
    expect(readFileSync(path, "utf8")).toBe(SETTINGS);
    expect(existsSync(join(home, ".phasekit"))).toBe(false);
  });

  it("changes nothing without --yes if there is no terminal to ask on", async () => {
    const { home, run } = machine();
    const { code, error } = await run(["init", "codex"]);
    expect([code, error]).toEqual([2, expect.stringMatching(/^BAD_ARGUMENT — Nothing was changed, because/)]);
    expect(readdirSync(home)).toEqual(["project"]);
  });

  it.each([true, false])("asks the person at the terminal, and an answer of %s counts", async (yes) => {
    const { home, cwd } = machine();
    let out = "";
    const env = { HOME: home };
    const stdout = { write: (text: string) => (out += text) };
    const terminal = createTerminal({ stdout, stderr: stdout, env, isAgent: false });
    const asked: string[] = [];
    const ask = (question: string): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(yes);
    };
    const around = { env, cwd, now: Date.now, signal: new AbortController().signal, version: "0.0.0" };
    const choose = (question: string, names: readonly [string, ...string[]]): Promise<string> => {
      asked.push(`${question} ${names.join(" ")}`);
      return Promise.resolve("nudge");
    };
    await main(["init", "gemini-cli"], { ...around, terminal: { ...terminal, ask, choose } });
    expect(asked).toEqual(["How much may reach the agent? observe nudge gate", "Make these changes?"]);
    expect(out).toContain("Install Phasekit into Gemini CLI, mode nudge");
    expect(out).toContain("lines like these; --dry-run shows all");
    expect(existsSync(join(home, ".gemini/settings.json"))).toBe(yes);
  });

  it.each([
    [["claude"], 'BAD_ARGUMENT — "claude" is not an agent'],
    [["codx"], "Did you mean `phasekit init codex`?"],
    [["codex", "--scope", "local"], '--scope cannot be "local" — Fix: Use one of: user, project.'],
    [["codex", "--transport", "http"], '--transport cannot be "http" — Fix: Use one of: command, mcp.'],
    [["claude-code", "--transport", "http"], '--transport cannot be "http" — Fix: Use one of: command.'],
    [["pi", "--transport", "command"], "Pi loads a file of Phasekit's own — Fix: Leave out --transport."],
    [["codex", "--statusline"], "Codex has no status line for programs — Fix: Leave out --statusline."],
    [["codex", "--mode", "strict"], "Use one of: observe, nudge, gate."],
    [["--mode", "gate"], "--mode needs an agent — Fix: Name one: `phasekit init claude-code --mode nudge`."],
  ])("init %j is refused with the fix", async (args, message) => {
    const { code, error } = await phasekitHere(["init", ...args]);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });

  it("leaves settings that are not JSON as they are", async () => {
    const { home, run } = machine();
    const path = withSettings(home);
    writeFileSync(path, "{ // mine\n}");
    const { code, error } = await run(["init", "claude-code", "--yes"]);
    expect([code, error]).toEqual([2, expect.stringMatching(/^UNREADABLE_SETTINGS — .* Nothing was changed/)]);
    expect(readFileSync(path, "utf8")).toBe("{ // mine\n}");
  });

  it("lets an agent install Phasekit, and not change or remove it", async () => {
    const { run } = machine();
    const env = { AI_AGENT: "claude" };
    expect((await run(["init", "pi", "--yes"], { env })).code).toBe(0);
    for (const more of [["--mode", "observe"], ["--uninstall"]])
      expect(await run(["init", "pi", "--yes", ...more], { env })).toMatchObject({
        code: 2,
        error: expect.stringContaining("An agent cannot change its own hooks — Fix: Ask the user to run") as unknown,
      });
    expect((await run(["init", "pi", "--uninstall", "--yes"])).code).toBe(0);
  });

  it("offers the agents of this machine, and writes a plugin folder", async () => {
    const { home, cwd, run } = machine();
    mkdirSync(join(home, ".codex"));
    expect((await run(["init"])).out).toContain("Live in an agent you have: phasekit init codex\n");
    expect((await run(["init", "--plugin", "plugin"])).out).toContain("Claude Code: claude --plugin-dir plugin\n");
    expect(readdirSync(join(cwd, "plugin")).toSorted()).toEqual([".claude-plugin", ".codex-plugin", "bin", "hooks"]);
  });
});

/** Wide enough that no line is wrapped. */
const WIDE = { env: { COLUMNS: "200" } };

const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Fix it." };
const edit = {
  tool_name: "Edit",
  tool_input: { file_path: "/p/a.ts", old_string: "a", new_string: "b" },
  tool_use_id: "t",
};
const asked = { hook_event_name: "PreToolUse", ...edit };
const edited = { hook_event_name: "PostToolUse", ...edit, tool_response: {} };
const stop = { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." };

/** Sends events of Claude Code through `phasekit hook`; a busy machine may be too slow for one, so it is sent again. */
async function send(
  { home, cwd }: { readonly home: string; readonly cwd: string },
  ...payloads: readonly object[]
): Promise<CliResult> {
  let last: CliResult = { code: null, out: "", error: "" };
  for (const payload of payloads) {
    last = await runHook(["claude-code"], { home, cwd, input: JSON.stringify({ session_id: "s", cwd, ...payload }) });
    expect([last.code, last.error]).toEqual([0, ""]);
  }
  return last;
}

describe("hook, statusline, waive and doctor", () => {
  it("record a session that why, runs and tail see, also when nothing is installed", async () => {
    const place = machine();
    const { run } = place;
    await send(place, prompt, asked, edited);
    const { out } = await run(["runs"]);
    expect(out).toContain("claude-code-s");
    expect((await run(["why", "claude-code-s"])).out).toContain("ENDED     not yet");
    expect((await run(["tail", "claude-code-s", "--no-follow"])).out).toContain("PHASE    exploring → acting");
    const line = await runHook([], { ...place, input: "", command: "statusline" });
    // On a busy machine an event may come late; the line says so.
    expect(line.out).toMatch(/^phasekit observe · acting · \d turns?(?: · blind .*)?$/);
    expect(await phasekitJson(["statusline"], place)).toMatchObject({ status: { phase: "acting" } });
  });

  it("hook never exits with a code that refuses a call", async () => {
    const place = machine();
    for (const args of [["claud"], ["--bogus"], []])
      expect((await runHook(args, { ...place, input: "" })).code).toBe(0);
    expect((await runHook(["claud"], { ...place, input: "" })).error).toContain('"claud" is not an agent');
    expect((await runHook(["claude-code"], { ...place, input: "not json" })).out).toBe("");
  });

  it("waive is for a person: an agent is refused, and its attempt is in the log", async () => {
    const place = machine();
    const { home, run } = place;
    const waive = ["waive", "tests-fresh", "--reason", "No tests here."];
    expect(await run(waive)).toMatchObject({ code: 3, error: expect.stringMatching(/^NO_SESSION — /) as unknown });
    expect((await run(["init", "claude-code", "--mode", "gate", "--yes"])).code).toBe(0);
    await send(place, prompt, asked, edited);
    expect(await run(waive, { env: { CLAUDECODE: "1" } })).toMatchObject({
      code: 2,
      error: expect.stringContaining("An agent cannot waive a gate; the attempt is in its log") as unknown,
    });
    const log = (): string => {
      const folder = join(home, ".phasekit/runs/claude-code-s/log");
      return readdirSync(folder)
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("");
    };
    expect(log()).toContain('"what":"phasekit waive tests-fresh"');
    expect((await send(place, stop)).out).toContain("phasekit waive tests-fresh --reason");
    expect(await run(["waive", "tests-fresh"])).toMatchObject({ code: 2 });
    expect(await phasekitJson(waive, { ...place, cwd: join(place.cwd, ".") })).toMatchObject({
      waived: ["claude-code-s"],
    });
    expect((await send(place, { ...edited, tool_use_id: "u" }, stop)).out).toBe("");
    await run(["init", "claude-code", "--uninstall", "--yes"]);
  });

  it("doctor reads the installed files again, sends a canned event and shows the capabilities", async () => {
    const place = machine();
    const { home, run } = place;
    await run(["init", "claude-code", "--yes"]);
    await run(["init", "codex", "--yes"]);
    const good = await run(["doctor"], WIDE);
    expect(good.out).toMatch(/ok +Claude Code live +user: ~\/\.claude\/settings\.json, 12 events/);
    expect(good.out).toMatch(/note +Codex live +Codex trusts 0 of 9 hooks/);
    expect(good.out).toMatch(/Claude Code +nudge +SessionStart, UserPromptSubmit, PostToolBatch/);
    expect(good.code).toBe(0);
    rmSync(join(home, ".phasekit/bin/hook.cjs"));
    const settings = join(home, ".claude/settings.json");
    writeFileSync(settings, readFileSync(settings, "utf8").replace('"PreToolUse"', '"Other"'));
    const broken = await run(["doctor"], WIDE);
    expect(broken.code).toBe(1);
    expect(broken.out).toMatch(/problem +Claude Code live +user: .* has no entry for PreToolUse/);
    expect(broken.out).toMatch(/problem +Codex live +~\/\.phasekit\/bin\/hook\.cjs is missing/);
    const data = await phasekitJson(["doctor"], place);
    expect(data["live"]).toHaveLength(7);
    for (const agent of ["claude-code", "codex"]) await run(["init", agent, "--uninstall", "--yes"]);
  });
});

const policy = `
import { definePolicy, veto } from "@phasekit/core";
export default definePolicy({
  name: "ask-first",
  decide: { "finish.requested": () => veto("Ask the user first.", { gate: "ask-first" }) },
});
`;

describe("live sessions", () => {
  it("follow a config and its policy file once the user approved both", async () => {
    const place = machine();
    const { cwd, run } = place;
    await run(["init", "claude-code", "--yes"]);
    writeFileSync(join(cwd, "phasekit.config.yaml"), "policy: ask-first.ts\nmode: gate\n");
    writeFileSync(join(cwd, "ask-first.ts"), policy);
    expect((await send(place, { ...prompt, session_id: "a" }, { ...stop, session_id: "a" })).out).toBe("");
    expect((await run(["doctor"], WIDE)).out).toMatch(
      /note +Live config +live sessions here ignore ~\/project\/phasekit\.config/,
    );
    for (const file of ["phasekit.config.yaml", "ask-first.ts"]) expect((await run(["trust", file])).code).toBe(0);
    expect((await run(["doctor"], WIDE)).out).toMatch(
      /ok +Claude Code live +mode gate in [^]*ok +Live config +live sessions here use ~\/project\/phasekit/,
    );
    // The first event loads the config, and may take longer than a hook waits; a busy machine needs several tries.
    let answer = "";
    for (let tries = 0; tries < 8 && answer === ""; tries += 1) {
      const session = { session_id: `b${String(tries)}` };
      for (const payload of [{ hook_event_name: "SessionStart", source: "startup" }, prompt, asked, edited])
        await send(place, { ...payload, ...session });
      answer = (await send(place, { ...stop, ...session })).out;
    }
    expect(answer).toContain("Ask the user first.");
    await run(["init", "claude-code", "--uninstall", "--yes"]);
  });
});
