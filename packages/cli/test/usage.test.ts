import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { commandTable } from "../src/command-table.ts";
import { emptyHome, phasekit, phasekitHere, phasekitJson } from "./run-cli.ts";

describe("exit codes and errors", () => {
  it.each([
    { args: ["wy"], code: 2, error: 'UNKNOWN_COMMAND — There is no command "wy" — Fix: Did you mean `phasekit why`?\n' },
    { args: ["why", "--colour"], code: 2, error: 'BAD_ARGUMENT — Unknown option "--colour" — Fix: See the options with `phasekit <command> --help`.\n' },
    { args: ["diff", "a"], code: 2, error: "BAD_ARGUMENT — missing required args for command \"diff <a> <b>\" — Fix: See the options with `phasekit <command> --help`.\n" },
    { args: ["runs", "--limit", "many"], code: 2, error: 'BAD_ARGUMENT — --limit is "many" — Fix: Give a whole number, such as `--limit 20`.\n' },
    { args: ["demo", "sad"], code: 2, error: 'BAD_ARGUMENT — There is no story "sad" — Fix: Use one of: good, loop, fake-done, explorer.\n' },
    { args: ["explain", "DONNE"], code: 2, error: 'UNKNOWN_CODE — Nothing is known as "DONNE" — Fix: Nearest: done. `phasekit explain` lists everything.\n' },
    { args: ["simulate", "--policy", "nope.ts"], code: 2, error: 'BAD_POLICY — "nope.ts" gives no policies — it is no preset (coding, watchdog, gates, none) and no file — Fix: Name a preset (coding, watchdog, gates, none) or a file whose default export is a policy, a list of policies or run options.\n' },
    { args: ["check", "--waive", "verified"], code: 2, error: 'BAD_ARGUMENT — --waive has no --reason — Fix: Say why, such as `--waive verified --reason "docs only"`.\n' },
    { args: ["why"], code: 3, error: /^NO_LOGS — No agent logs were found — looked in .*\.phasekit\/runs, ~\/\.claude\/projects, ~\/\.codex\/sessions, .* — Fix: Name a log file or folder, or see a run made on the spot with `phasekit demo`\.\n$/ },
    { args: ["why", "nothing-here"], code: 3, error: /^NO_SUCH_RUN — There is no log or run "nothing-here"/ },
    { args: ["contracts", "check"], code: 3, error: /^NO_SUCH_RUN/ },
  ])("$args: exit $code", async ({ args, code, error }) => {
    const result = await phasekitHere(args);
    expect(result.code).toBe(code);
    if (typeof error === "string") expect(result.error).toBe(error);
    else expect(result.error).toMatch(error);
    expect(result.out).toBe("");
  });

  it.each([[["--help"]], [["--version"]], [[]], [["why", "--help"]]])("%j prints and ends well", async (args) => {
    const { code, out, error } = await phasekit(args);
    expect([code, error]).toEqual([0, ""]);
    expect(out).toContain("phasekit/");
  });

  it("a wrong command line ends the program with its code", async () => {
    expect(await phasekit(["wy"])).toMatchObject({ code: 2, out: "" });
    expect(await phasekit(["why"])).toMatchObject({ code: 3, out: "" });
  });

  it.each([
    { what: "text that is no log", content: "Dear diary\n", code: "UNREADABLE_LOG" },
    { what: "JSON that is no log", content: '{"a":1}', code: "UNREADABLE_LOG" },
    { what: "half a JSON document", content: sampleLogs.verified.slice(0, 300), code: undefined },
    { what: "zero bytes in between", content: sampleLogs.verified.replaceAll("call_", "\u0000call_"), code: undefined },
    { what: "nothing", content: "", code: "EMPTY_LOG" },
    { what: "broken gzip", content: "\u001f\u008bnot gzip", code: "UNREADABLE_LOG" },
  ])("a file of $what neither crashes nor hangs", async ({ content, code }) => {
    const path = join(emptyHome(), "x.json");
    writeFileSync(path, Buffer.from(content, "latin1"));
    const { out } = await phasekitHere(["why", path, "--json"]);
    const data = JSON.parse(out) as { readonly exitCode: number; readonly error?: { readonly code: string } };
    expect(data.exitCode).not.toBe(4);
    if (code !== undefined) expect(data).toMatchObject({ exitCode: 3, error: { code } });
  });

  it("says of what cannot be read why that is, in the words of the system", async () => {
    const folder = emptyHome();
    symlinkSync(join(folder, "round"), join(folder, "round"));
    mkdirSync(join(folder, "bare"));
    const errors = async (name: string) => (JSON.parse((await phasekitHere(["why", join(folder, name), "--json"])).out) as { readonly exitCode: number; readonly error: object });
    expect(await errors("round")).toMatchObject({ exitCode: 3, error: { code: "CANNOT_READ" } });
    expect(await errors("bare")).toMatchObject({ exitCode: 3, error: { code: "EMPTY_LOG" } });
  });

  it("tells no story of a log of which nothing could be read", async () => {
    const path = join(emptyHome(), "x.jsonl");
    writeFileSync(path, `${JSON.stringify({ type: "file-history-snapshot", snapshot: {} })}\n{"type":"user","uuid":"u","sessionId":"s"\n`);
    const { code, error } = await phasekitHere(["why", path]);
    expect(code).toBe(3);
    expect(error).toMatch(/^EMPTY_LOG — ".*" holds no run — 1 record of 2 could not be read: text behind the document — Fix: /);
  });

  it("says once what is wrong with the only log there is, and passes it over when there are others", async () => {
    const folder = emptyHome();
    writeFileSync(join(folder, "a.json"), "Dear diary\n");
    for (const command of ["simulate", "runs", "report"]) expect((await phasekitHere([command, join(folder, "a.json")])).error).toMatch(/^UNREADABLE_LOG — "[^"]*" is no log of a tool we know — its content has the shape of none of them — Fix: /);
    writeFileSync(join(folder, "b.json"), sampleLogs.talk);
    expect(JSON.parse((await phasekitHere(["simulate", folder, "--json"])).out)).toMatchObject({ exitCode: 0, logs: 1, unreadable: [{ code: "UNREADABLE_LOG" }] });
  });

  it("prints one object for every command with --json", async () => {
    const path = join(emptyHome(), "a.json");
    writeFileSync(path, sampleLogs.talk);
    const out = join(emptyHome(), "page.html");
    const arguments_: Readonly<Record<string, readonly string[]>> = { why: [path], runs: [path], simulate: [path], check: [path], tail: [path], diff: [path, path], contracts: ["check"], explain: [], export: [path], report: [path, "--out", out], init: ["--dry-run"], doctor: [], demo: ["loop", "--fast"], completion: ["bash"] };
    // The live pages and the worker go on until somebody ends them, and what needs a database is tested with one.
    const names = commandTable.map(({ usage }) => usage.split(" ", 1)[0] ?? "").filter((name) => !["ui", "db", "worker"].includes(name));
    expect(Object.keys(arguments_).toSorted()).toEqual(names.toSorted());
    for (const name of names) expect(await phasekitJson([name, ...(arguments_[name] ?? [])])).toMatchObject({ v: 1, command: name });
  });
});

describe("colours", () => {
  it.each<{ readonly env: Readonly<Record<string, string>>; readonly colored: boolean }>([
    { env: {}, colored: false },
    { env: { FORCE_COLOR: "1" }, colored: true },
    { env: { FORCE_COLOR: "1", NO_COLOR: "1" }, colored: false },
    { env: { FORCE_COLOR: "1", AI_AGENT: "test" }, colored: false },
  ])("$env: $colored", async ({ env, colored }) => {
    expect((await phasekitHere(["explain", "done"], { env })).out.includes("\u001b[")).toBe(colored);
  });
});

describe("config", () => {
  it.each([
    { text: "export default { runz: 1 };", code: 2, error: /"runz" is not an option; there are runs, logs, run, contracts, check/ },
    { text: "export default 5;", code: 2, error: /its default export is not an object/ },
    { text: "export default {", code: 2, error: /^BAD_CONFIG/ },
    { text: 'export default { logs: "a" };', code: 2, error: /"logs" is not a list of paths/ },
  ])("$text: exit $code", async ({ text, code, error }) => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.ts"), text);
    expect(await phasekitHere(["runs"], { cwd })).toMatchObject({ code, error: expect.stringMatching(error) as unknown });
  });

  it("what init writes is loaded by the other commands, and is not overwritten", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["init"], { cwd })).code).toBe(0);
    expect(readdirSync(cwd).toSorted()).toEqual(["phasekit", "phasekit.config.ts"]);
    writeFileSync(join(cwd, "log.json"), sampleLogs.unverified);
    expect(await phasekitJson(["simulate", "log.json"], { cwd })).toMatchObject({ exitCode: 0, simulated: [{ policy: "phasekit.config" }] });
    const again = await phasekit(["init"], { cwd });
    expect([again.code, again.error]).toEqual([2, 'FILE_EXISTS — "phasekit.config.ts" is there already, and was left as it is — Fix: Use `--force` to replace it, or `--dry-run` to see what would be written.\n']);
  });

  it("init --dry-run writes nothing", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["init", "--dry-run"], { cwd })).out).toContain("defineConfig");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("looks for logs where the config says, and for limits of check", async () => {
    const cwd = emptyHome();
    mkdirSync(join(cwd, "logs"));
    writeFileSync(join(cwd, "logs/a.json"), sampleLogs.verified);
    writeFileSync(join(cwd, "phasekit.config.json"), JSON.stringify({ logs: ["logs"], check: { maxTurns: 1 } }));
    expect(await phasekitJson(["check"], { cwd })).toMatchObject({ exitCode: 1, failed: ["max-turns"] });
  });
});

describe("contracts", () => {
  it("starts, checks and prints contracts", async () => {
    const cwd = emptyHome();
    await phasekitHere(["contracts", "new", "research", "--next", "build"], { cwd });
    expect(await phasekitHere(["contracts", "check"], { cwd })).toMatchObject({ code: 1, out: expect.stringContaining('contracts/research.md:1:1 error: next_phase "build" has no contract') as unknown });
    await phasekitHere(["contracts", "new", "build"], { cwd });
    expect((await phasekitHere(["contracts", "check"], { cwd })).out).toBe("2 contracts in order: research → build\n");
    expect((await phasekitHere(["contracts", "prompt", "research", "--item", "T-7"], { cwd })).out).toContain("docs/T-7/research.md");
    expect((await phasekitHere(["contracts", "new", "build"], { cwd })).code).toBe(2);
    expect((await phasekitHere(["contracts", "new", "Not Valid"], { cwd })).code).toBe(2);
  });
});

describe("doctor, completion, explain", () => {
  it("doctor says what is there and what is not", async () => {
    const { out, code } = await phasekit(["doctor"]);
    expect(code).toBe(0);
    expect(out).toMatch(/Claude Code +no logs in/);
    expect(out).toContain("Everything is in order.");
  });

  it("doctor finds a broken config", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.ts"), "export default {");
    expect((await phasekit(["doctor"], { cwd })).code).toBe(1);
  });

  it("completes commands and their choices", async () => {
    expect((await phasekit(["complete", "--", "si"])).out).toMatch(/^simulate\t/m);
    expect((await phasekit(["complete", "--", "demo", "f"])).out).toContain("fake-done");
    expect((await phasekit(["completion", "zsh"])).out).toContain("#compdef phasekit");
  });

  it.each([
    { code: "done_unverified", kind: "reason" }, { code: "DONE-UNVERIFIED", kind: "reason" }, { code: "repeated_call", kind: "alert" }, { code: "fresh-tests", kind: "gate" }, { code: "unknown_phase", kind: "error" },
  ])("explains $code", async ({ code, kind }) => {
    expect(JSON.parse((await phasekitHere(["explain", code, "--json"])).out)).toMatchObject({ kind });
  });
});

describe("demo", () => {
  it.each([
    { story: "good", reason: "done" }, { story: "loop", reason: "aborted_stagnation" }, { story: "fake-done", reason: "done" }, { story: "explorer", reason: "done" },
  ])("$story ends as it promises: $reason", async ({ story, reason }) => {
    expect(await phasekitJson(["demo", story, "--fast"])).toMatchObject({ exitCode: 0, asPromised: true, surprises: [], story: { reason } });
  });

  it("keeps its run where it is told to, and the run can be read again in every way", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["demo", "fake-done", "--fast", "--keep", ".phasekit/runs"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, ".phasekit/runs/demo-fake-done"))).toBe(true);
    const log = readFileSync(join(cwd, ".phasekit/runs/demo-fake-done/log", readdirSync(join(cwd, ".phasekit/runs/demo-fake-done/log")).find((name) => name.endsWith(".jsonl")) ?? ""), "utf8");
    expect(await phasekitJson(["why"], { cwd })).toMatchObject({ tool: "Phasekit", story: { run: "demo-fake-done", reason: "done", verified: true } });
    expect(await phasekitJson(["why", "demo-fake-done"], { cwd })).toMatchObject({ story: { run: "demo-fake-done" } });
    expect(await phasekitJson(["check", ".phasekit/runs"], { cwd })).toMatchObject({ passed: true });
    expect(await phasekitJson(["simulate", ".phasekit/runs"], { cwd })).toMatchObject({ simulated: [{ totals: { runs: 1, vetoes: 1 } }] });
    expect((await phasekit(["tail", "demo-fake-done"], { cwd })).out).toMatch(/END +done in verifying, verified\n$/);
    expect((await phasekit(["doctor"], { cwd })).out).toMatch(/Own runs +1 run, all logs whole/);
    // Reading changes nothing, not even a cache.
    expect(readdirSync(join(cwd, ".phasekit/runs/demo-fake-done")).includes("summary.json")).toBe(false);
    expect(log).toContain('"run.finished"');
    expect((await phasekit(["demo", "fake-done", "--fast", "--keep", ".phasekit/runs"], { cwd })).code).toBe(2);
  });
});
