import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { commandTable } from "../src/command-table.ts";
import { emptyHome, errorLine, phasekit, phasekitHere, phasekitJson } from "./run-cli.ts";

describe("exit codes and errors", () => {
  it.each([
    {
      args: ["wy"],
      code: 2,
      error: 'UNKNOWN_COMMAND — Unknown command "wy" — Fix: Did you mean `phasekit why`?\n',
    },
    {
      args: ["why", "--colour"],
      code: 2,
      error: 'BAD_ARGUMENT — Unknown option "--colour" — Fix: List the options with `phasekit why --help`.\n',
    },
    {
      args: ["diff", "a"],
      code: 2,
      error: "BAD_ARGUMENT — `diff` needs more arguments — Fix: Write `phasekit diff <a> <b>`.\n",
    },
    {
      args: ["runs", "--limit", "many"],
      code: 2,
      error: 'BAD_ARGUMENT — --limit must be a whole number, not "many" — Fix: Write `--limit 20`, for example.\n',
    },
    {
      args: ["demo", "sad"],
      code: 2,
      error: 'BAD_ARGUMENT — Unknown story "sad" — Fix: Use one of: good, loop, fake-done, explorer.\n',
    },
    {
      args: ["explain", "DONNE"],
      code: 2,
      error: 'UNKNOWN_CODE — Unknown code "DONNE" — Fix: Did you mean done? List all codes with `phasekit explain`.\n',
    },
    {
      args: ["simulate", "--policy", "nope.ts"],
      code: 2,
      error: errorLine(
        "BAD_POLICY",
        'Cannot use "nope.ts" as policies',
        "it is neither a preset (coding, watchdog, gates, none) nor a file",
        "Fix: Use coding, watchdog, gates or none, " +
          "or a file that exports a policy, policies or run options as default.",
      ),
    },
    {
      args: ["check", "--waive", "verified"],
      code: 2,
      error: 'BAD_ARGUMENT — --waive requires --reason — Fix: Add one: `--waive verified --reason "docs only"`.\n',
    },
    {
      args: ["why"],
      code: 3,
      error: new RegExp(
        String.raw`^NO_LOGS — No agent logs found — searched .*\.phasekit/runs, ~/\.claude/projects, ` +
          String.raw`~/\.codex/sessions, .*` +
          " — Fix: Name a log: `phasekit why <file or folder>`\\. To watch a sample run: `phasekit demo`\\.\n$",
      ),
    },
    { args: ["why", "nothing-here"], code: 3, error: /^NO_SUCH_RUN — No log or run matches "nothing-here"/ },
    { args: ["contracts", "check"], code: 3, error: /^NO_CONTRACTS — There is no contracts folder "contracts"/ },
  ])("phasekit $args exits with $code", async ({ args, code, error }) => {
    const result = await phasekitHere(args);
    expect(result.code).toBe(code);
    if (typeof error === "string") expect(result.error).toBe(error);
    else expect(result.error).toMatch(error);
    expect(result.out).toBe("");
  });

  it.each([[["--help"]], [["--version"]], [[]], [["why", "--help"]]])(
    "phasekit %j prints help or version and exits with 0",
    async (args) => {
      const { code, out, error } = await phasekit(args);
      expect([code, error]).toEqual([0, ""]);
      expect(out).toContain("phasekit/");
    },
  );

  it("the built program exits with the code of the error", async () => {
    expect(await phasekit(["wy"])).toMatchObject({ code: 2, out: "" });
    expect(await phasekit(["why"])).toMatchObject({ code: 3, out: "" });
  });

  it.each([
    { what: "text that is not a log", content: "Dear diary\n", code: "UNREADABLE_LOG" },
    { what: "JSON that is not a log", content: '{"a":1}', code: "UNREADABLE_LOG" },
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

  it("CANNOT_READ quotes the error of the system", async () => {
    const folder = emptyHome();
    symlinkSync(join(folder, "round"), join(folder, "round"));
    mkdirSync(join(folder, "bare"));
    const errors = async (name: string) =>
      JSON.parse((await phasekitHere(["why", join(folder, name), "--json"])).out) as {
        readonly exitCode: number;
        readonly error: object;
      };
    expect(await errors("round")).toMatchObject({ exitCode: 3, error: { code: "CANNOT_READ" } });
    expect(await errors("bare")).toMatchObject({ exitCode: 3, error: { code: "EMPTY_LOG" } });
  });

  it("why rejects a log without a readable record", async () => {
    const path = join(emptyHome(), "x.jsonl");
    writeFileSync(
      path,
      `${JSON.stringify({ type: "file-history-snapshot", snapshot: {} })}\n{"type":"user","uuid":"u","sessionId":"s"\n`,
    );
    const { code, error } = await phasekitHere(["why", path]);
    expect(code).toBe(3);
    expect(error).toMatch(
      /^EMPTY_LOG — ".*" contains no agent run — 1 record of 2 could not be read: text behind the document — Fix: /,
    );
  });

  it("an unreadable log is an error alone, and skipped among others", async () => {
    const folder = emptyHome();
    writeFileSync(join(folder, "a.json"), "Dear diary\n");
    for (const command of ["simulate", "runs", "report"])
      expect((await phasekitHere([command, join(folder, "a.json")])).error).toMatch(
        /^UNREADABLE_LOG — "[^"]*" is not a log format Phasekit recognizes — its content matches none of .* — Fix: /,
      );
    writeFileSync(join(folder, "b.json"), sampleLogs.talk);
    expect(JSON.parse((await phasekitHere(["simulate", folder, "--json"])).out)).toMatchObject({
      exitCode: 0,
      logs: 1,
      unreadable: [{ code: "UNREADABLE_LOG" }],
    });
  });

  it("every command prints one object with --json", async () => {
    const path = join(emptyHome(), "a.json");
    writeFileSync(path, sampleLogs.talk);
    const out = join(emptyHome(), "page.html");
    const arguments_: Readonly<Record<string, readonly string[]>> = {
      why: [path],
      runs: [path],
      simulate: [path],
      check: [path],
      usage: [],
      pick: [],
      watch: ["--once"],
      tail: [path],
      diff: [path, path],
      contracts: ["check"],
      explain: [],
      export: [path],
      report: [path, "--out", out],
      trust: ["--list"],
      untrust: ["--all"],
      init: ["--dry-run"],
      hook: [],
      statusline: [],
      waive: ["tests-fresh", "--reason", "x"],
      doctor: [],
      demo: ["loop", "--fast"],
      cache: [],
      completion: ["bash"],
    };
    // The live pages and the worker run until they are stopped; commands that need a database are tested with one.
    const names = commandTable
      .map(({ usage }) => usage.split(" ", 1)[0] ?? "")
      .filter((name) => !["ui", "db", "worker"].includes(name));
    expect(Object.keys(arguments_).toSorted()).toEqual(names.toSorted());
    for (const name of names)
      expect(await phasekitJson([name, ...(arguments_[name] ?? [])])).toMatchObject({ v: 2, command: name });
  });
});

describe("colours", () => {
  it.each<{ readonly env: Readonly<Record<string, string>>; readonly colored: boolean }>([
    { env: {}, colored: false },
    { env: { FORCE_COLOR: "1" }, colored: true },
    { env: { FORCE_COLOR: "1", NO_COLOR: "1" }, colored: false },
    { env: { FORCE_COLOR: "1", AI_AGENT: "test" }, colored: false },
  ])("phasekit with $env prints colors: $colored", async ({ env, colored }) => {
    expect((await phasekitHere(["explain", "done"], { env })).out.includes("\u001b[")).toBe(colored);
  });
});

describe("config", () => {
  it.each([
    {
      text: "export default { runz: 1 };",
      code: 2,
      error: /unknown key "runz"; known keys: runs, logs, run, contracts, policy, check/,
    },
    { text: "export default 5;", code: 2, error: /the default export must be an object/ },
    { text: "export default {", code: 2, error: /^BAD_CONFIG/ },
    { text: 'export default { logs: "a" };', code: 2, error: /"logs" must be a list of paths/ },
  ])("a config $text exits with $code", async ({ text, code, error }) => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.ts"), text);
    expect(await phasekitHere(["runs", "--config", "phasekit.config.ts"], { cwd })).toMatchObject({
      code,
      error: expect.stringMatching(error) as unknown,
    });
  });

  it("other commands load the files of init, and init does not overwrite them", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["init"], { cwd })).code).toBe(0);
    expect(readdirSync(cwd).toSorted()).toEqual(["phasekit", "phasekit.config.yaml"]);
    writeFileSync(join(cwd, "log.json"), sampleLogs.unverified);
    expect(await phasekitJson(["simulate", "log.json"], { cwd })).toMatchObject({
      exitCode: 0,
      simulated: [{ policy: "coding" }],
    });
    const policy = "phasekit/no-migrations.ts";
    expect(await phasekitJson(["simulate", "log.json", "--policy", policy], { cwd })).toMatchObject({
      exitCode: 0,
      simulated: [{ policy }],
    });
    const again = await phasekit(["init"], { cwd });
    expect([again.code, again.error]).toEqual([
      2,
      errorLine(
        "FILE_EXISTS",
        '"phasekit.config.yaml" already exists and was not changed',
        "Fix: Choose another path or delete the file. `init` and `contracts new` also accept `--force`.",
      ),
    ]);
  });

  it("init --dry-run writes nothing", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["init", "--dry-run"], { cwd })).out).toContain("policy: coding");
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("check uses the log folders and limits of the config", async () => {
    const cwd = emptyHome();
    mkdirSync(join(cwd, "logs"));
    writeFileSync(join(cwd, "logs/a.json"), sampleLogs.verified);
    writeFileSync(join(cwd, "phasekit.config.json"), JSON.stringify({ logs: ["logs"], check: { maxTurns: 1 } }));
    expect(await phasekitJson(["check"], { cwd })).toMatchObject({ exitCode: 1, failed: ["max-turns"] });
  });
});

describe("contracts", () => {
  it("contracts new, check and prompt work together", async () => {
    const cwd = emptyHome();
    await phasekitHere(["contracts", "new", "research", "--next", "build"], { cwd });
    expect(await phasekitHere(["contracts", "check"], { cwd })).toMatchObject({
      code: 1,
      out: expect.stringContaining('contracts/research.md:8:1 error: next_phase "build" has no contract') as unknown,
    });
    await phasekitHere(["contracts", "new", "build"], { cwd });
    expect((await phasekitHere(["contracts", "check"], { cwd })).out).toBe("2 contracts valid: research → build\n");
    expect((await phasekitHere(["contracts", "prompt", "research", "--item", "T-7"], { cwd })).out).toContain(
      "docs/T-7/research.md",
    );
    expect((await phasekitHere(["contracts", "new", "build"], { cwd })).code).toBe(2);
    expect((await phasekitHere(["contracts", "new", "Not Valid"], { cwd })).code).toBe(2);
  });
});

describe("doctor, completion, explain", () => {
  it("doctor lists log folders with and without logs", async () => {
    const { out, code } = await phasekit(["doctor"]);
    expect(code).toBe(0);
    expect(out).toMatch(/Claude Code +no logs in/);
    expect(out).toContain("No problems found.");
  });

  it("doctor reports a broken config", async () => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, "phasekit.config.json"), "{");
    expect((await phasekit(["doctor"], { cwd })).code).toBe(1);
  });

  it("completion offers commands and their choices", async () => {
    expect((await phasekit(["complete", "--", "si"])).out).toMatch(/^simulate\t/m);
    expect((await phasekit(["complete", "--", "demo", "f"])).out).toContain("fake-done");
    expect((await phasekit(["completion", "zsh"])).out).toContain("#compdef phasekit");
  });

  it.each([
    { code: "done_unverified", kind: "reason" },
    { code: "DONE-UNVERIFIED", kind: "reason" },
    { code: "call_timeout", kind: "alert" },
    { code: "tests-fresh", kind: "gate" },
    { code: "fresh-tests", kind: "gate" },
    { code: "unknown_phase", kind: "error" },
  ])("explain finds $code", async ({ code, kind }) => {
    expect(JSON.parse((await phasekitHere(["explain", code, "--json"])).out)).toMatchObject({ kind });
  });
});

describe("demo", () => {
  it.each([
    { story: "good", reason: "done" },
    { story: "loop", reason: "aborted_stagnation" },
    { story: "fake-done", reason: "done" },
    { story: "explorer", reason: "done" },
  ])("demo $story ends with $reason", async ({ story, reason }) => {
    expect(await phasekitJson(["demo", story, "--fast"])).toMatchObject({
      exitCode: 0,
      asPromised: true,
      surprises: [],
      story: { reason },
    });
  });

  it("demo --store stores the run, and every command can read it", async () => {
    const cwd = emptyHome();
    expect((await phasekit(["demo", "fake-done", "--fast", "--store", ".phasekit/runs"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, ".phasekit/runs/demo-fake-done"))).toBe(true);
    const log = readFileSync(
      join(
        cwd,
        ".phasekit/runs/demo-fake-done/log",
        readdirSync(join(cwd, ".phasekit/runs/demo-fake-done/log")).find((name) => name.endsWith(".jsonl")) ?? "",
      ),
      "utf8",
    );
    expect(await phasekitJson(["why"], { cwd })).toMatchObject({
      tool: "Phasekit",
      story: { run: "demo-fake-done", reason: "done", verified: true },
    });
    expect(await phasekitJson(["why", "demo-fake-done"], { cwd })).toMatchObject({ story: { run: "demo-fake-done" } });
    expect(await phasekitJson(["check", ".phasekit/runs"], { cwd })).toMatchObject({ passed: true });
    expect(await phasekitJson(["simulate", ".phasekit/runs"], { cwd })).toMatchObject({
      simulated: [{ totals: { runs: 1, vetoes: 1 } }],
    });
    expect((await phasekit(["tail", "demo-fake-done"], { cwd })).out).toMatch(/END +done in verifying, verified\n$/);
    expect((await phasekit(["doctor"], { cwd })).out).toMatch(/Own runs +1 run, all logs intact/);
    // Reading changes nothing, not even a cache.
    expect(readdirSync(join(cwd, ".phasekit/runs/demo-fake-done")).includes("summary.json")).toBe(false);
    expect(log).toContain('"run.finished"');
    expect((await phasekit(["demo", "fake-done", "--fast", "--store", ".phasekit/runs"], { cwd })).code).toBe(2);
  });
});
