import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { createClaudeSession } from "./claude-session.ts";
import { createFakeTty } from "./fake-tty.ts";
import { emptyHome, phasekitHere, processEnv } from "./run-cli.ts";

/** A folder with a log, and files that are none. */
function messyFolder(): string {
  const cwd = emptyHome();
  for (const name of ["empty", "notes", "taken", ".git"]) mkdirSync(join(cwd, name));
  writeFileSync(join(cwd, "taken/index.html"), "mine");
  writeFileSync(join(cwd, "log.json"), sampleLogs.verified);
  writeFileSync(join(cwd, "notes/diary.txt"), "Dear diary\n");
  writeFileSync(join(cwd, "zero.jsonl"), "");
  writeFileSync(
    join(cwd, "binary.jsonl"),
    Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 151) % 256)),
  );
  writeFileSync(join(cwd, "broken.yaml"), "runs: [");
  symlinkSync("circle", join(cwd, "circle"));
  return cwd;
}

describe("ordinary mistakes", () => {
  it.each<[line: string, code: number, expected: readonly [error: string, fix: string]]>([
    // Names and flags
    ["wathc", 2, ["UNKNOWN_COMMAND", "phasekit watch"]],
    ["help wathc", 2, ["UNKNOWN_COMMAND", "phasekit watch"]],
    ["runs --limt 3", 2, ["BAD_ARGUMENT", "`--limit`"]],
    ["check --max-tokenz 3", 2, ["BAD_ARGUMENT", "`--max-tokens`"]],
    ["runs --sinze 3d", 2, ["BAD_ARGUMENT", "`--since`"]],
    ["pick reprot", 2, ["BAD_ARGUMENT", "phasekit pick report"]],
    ["explain DONNE", 2, ["UNKNOWN_CODE", "Did you mean done?"]],
    ["runs log.json --ended turn_limits", 2, ["BAD_ARGUMENT", "`--ended turn_limit`"]],
    ["why log.json extra", 2, ["BAD_ARGUMENT", "phasekit why [run]"]],
    ["diff log.json", 2, ["BAD_ARGUMENT", "phasekit diff <a> <b>"]],
    // Values
    ["runs --limit", 2, ["BAD_ARGUMENT", "`--limit <n>`"]],
    ["runs --limit many", 2, ["BAD_ARGUMENT", "`--limit 20`"]],
    ["runs --limit 0", 2, ["BAD_ARGUMENT", "`--limit 20`"]],
    ["check log.json --max-tokens abc", 2, ["BAD_ARGUMENT", "`--max-tokens 20`"]],
    ["ui --port abc", 2, ["BAD_ARGUMENT", "`--port 4173`"]],
    ["ui --port 99999", 2, ["BAD_ARGUMENT", "`--port 4173`"]],
    ["runs --since soon", 2, ["BAD_ARGUMENT", "`--since 7d`"]],
    ["watch --since soon", 2, ["BAD_ARGUMENT", "`--since 7d`"]],
    ["runs --by week", 2, ["BAD_ARGUMENT", "project, day, tool, end"]],
    ["init --mode nudge", 2, ["BAD_ARGUMENT", "phasekit init claude-code --mode nudge"]],
    // Logs that are not there, or are not logs
    ["why", 3, ["NO_LOGS", "phasekit demo"]],
    ["why nope", 3, ["NO_SUCH_RUN", "phasekit runs"]],
    ["why log.json#9", 3, ["NO_SUCH_RUN", "phasekit runs"]],
    ["why empty", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["why zero.jsonl", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["why notes", 3, ["UNREADABLE_LOG", "phasekit doctor"]],
    ["why binary.jsonl", 3, ["UNREADABLE_LOG", "phasekit doctor"]],
    ["why circle", 3, ["CANNOT_READ", "ls -l"]],
    ["tail empty", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["tail zero.jsonl", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["check nope", 3, ["NO_SUCH_RUN", "phasekit runs"]],
    ["diff log.json nope", 3, ["NO_SUCH_RUN", "phasekit runs"]],
    ["export empty", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["simulate empty", 3, ["EMPTY_LOG", "phasekit runs"]],
    ["report nope", 3, ["NO_SUCH_RUN", "phasekit runs"]],
    ["runs log.json --looping", 3, ["NO_MATCHING_LOGS", "Leave one of the options out"]],
    ["runs log.json --ended turn_limit --looping", 3, ["NO_MATCHING_LOGS", "Leave one of the options out"]],
    // Output that cannot be written
    ["report log.json --out taken", 2, ["FILE_EXISTS", "Choose another path"]],
    ["report log.json --out zero.jsonl/x.html", 2, ["CANNOT_WRITE", "Choose another path"]],
    ["export log.json --archive zero.jsonl", 2, ["CANNOT_WRITE", "Choose another path"]],
    ["contracts new plan --dir zero.jsonl", 2, ["CANNOT_WRITE", "Choose another path"]],
    ["demo loop --fast --store zero.jsonl", 2, ["BAD_ARGUMENT", "`--store .phasekit/runs`"]],
    // Setup
    ["contracts check", 3, ["NO_CONTRACTS", "phasekit contracts new <phase>"]],
    ["why log.json --config nope.yaml", 2, ["BAD_CONFIG", "phasekit init --dry-run"]],
    ["why log.json --config broken.yaml", 2, ["BAD_CONFIG", "phasekit init --dry-run"]],
    ["pick", 2, ["BAD_ARGUMENT", "phasekit why <run>"]],
    ["db status", 2, ["BAD_ARGUMENT", "--db postgres://"]],
    ["cache clean", 2, ["BAD_ARGUMENT", "phasekit cache clear"]],
    ["waive tests-fresh", 2, ["BAD_ARGUMENT", "--reason"]],
  ])("phasekit %s exits with %i and a fix", async (line, code, [error, fix]) => {
    const cwd = messyFolder();
    const before = readdirSync(cwd);
    const result = await phasekitHere(line.split(" "), { cwd });
    const [named = "", ...parts] = result.error.trimEnd().split(" — ");
    expect([result.code, named, result.out]).toEqual([code, error, ""]);
    expect(parts.at(-1)).toMatch(/^Fix: /);
    expect(parts.at(-1)).toContain(fix);
    // One message, on one line; and no half-written file is left.
    expect(result.error.trimEnd()).not.toContain("\n");
    expect(readdirSync(cwd)).toEqual(before);
  });

  it.each([
    ["--help", "", "NaN"],
    ["", "NaN"],
    ["--help", ""],
    ["NaN"],
    ["Infinity", "--json"],
    ["constructor"],
    ["help", "toString"],
    ["--", "0"],
    ["0"],
    ["--version", "", "0"],
  ])("phasekit %j %j %j is never an error of Phasekit itself", async (...args) => {
    const { code, error } = await phasekitHere(args, { cwd: messyFolder() });
    expect([0, 2]).toContain(code);
    expect(error).not.toContain("INTERNAL");
  });

  it.each([
    ['{ "m": { "input": 1e999, "output": 1 } }', '"input" of "m" is Infinity'],
    ['{ "m": { "input": 1, "output": -1 } }', '"output" of "m" is -1'],
    ['{ "m": { "input": 1, "output": 1e300 } }', '"output" of "m" is 1e+300'],
    ['{ "m": { "input": 1, "output": "2" } }', '"output" of "m" is a string'],
    ['{ "m": { "input_cost_per_token": -1, "output_cost_per_token": 1 } }', '"input" of "m" is -1000000'],
    ['{ "m": { "input_cost_per_token": 1e300, "output_cost_per_token": 1 } }', '"input" of "m" is 1e+306'],
    [
      '{ "m": { "input": 1, "output": 1, "tiers": [null] } }',
      '"tiers" of "m" is not a list of prices with "overTokens"',
    ],
    ['{ "m": { "input": 1, "output": 1, "tiers": [{ "overTokens": 9, "input": -2 }] } }', '"input" of "m" is -2'],
  ])("phasekit refuses the prices %s", async (prices, problem) => {
    const cwd = messyFolder();
    writeFileSync(join(cwd, "prices.json"), prices);
    const { code, error } = await phasekitHere(["runs", "log.json", "--prices", "prices.json"], { cwd });
    expect([code, error]).toEqual([2, expect.stringContaining("BAD_PRICES")]);
    expect(error).toContain(problem);
  });

  it("contracts check of an empty folder names the folder, without a line", async () => {
    const { code, out } = await phasekitHere(["contracts", "check", "empty"], { cwd: messyFolder() });
    expect([code, out]).toEqual([1, expect.stringMatching(/^empty error: .*\n1 error in empty\n$/)]);
  });

  it.each(["why log.json --no-color", "help", "help why", "help --all", "why --help", "-V", "--version", ""])(
    "phasekit %s is not a mistake",
    async (line) => {
      const { code, error } = await phasekitHere(line === "" ? [] : line.split(" "), { cwd: messyFolder() });
      expect([code, error]).toEqual([0, ""]);
    },
  );

  it("an error in a terminal has a line for each part, wrapped at words and not inside a command", async () => {
    const tty = createFakeTty({ columns: 40 });
    const { error } = await phasekitHere(["why", "nope"], { tty, stderrIsTty: true });
    expect(error).toBe(
      [
        "\u001b[1m\u001b[31mNO_SUCH_RUN\u001b[39m\u001b[22m",
        '  No log or run matches "nope"',
        "  it is not a path, and no log on this",
        "  machine has this name",
        "  Fix: List available runs with",
        "  `phasekit runs`. To see a sample run:",
        "  `phasekit demo`.",
        "",
      ].join("\n"),
    );
  });

  it("Ctrl-C ends a command with 130, and a command that runs until it is stopped with 0", async () => {
    const stopped = AbortSignal.abort();
    const cwd = messyFolder();
    expect((await phasekitHere(["runs", "log.json"], { cwd, signal: stopped })).code).toBe(130);
    expect((await phasekitHere(["watch"], { cwd, signal: stopped })).code).toBe(0);
    expect((await phasekitHere(["tail", "log.json"], { cwd, signal: stopped })).code).toBe(0);
  });

  it("a reader that leaves early, such as head, is not an error", async () => {
    const home = emptyHome();
    const session = createClaudeSession(home, "/srv/app", { id: "s-1" });
    session.prompt("Fix it");
    for (let time = 0; time < 400; time += 1) session.call(`cat ${"x".repeat(300)}${String(time)}`, "y");
    const child = spawn(
      process.execPath,
      fromSources(join(import.meta.dirname, "../src/bin.ts"), "export", session.path, "--json"),
      {
        env: { ...processEnv, HOME: home },
        cwd: home,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let error = "";
    child.stderr.on("data", (chunk: Buffer) => (error += chunk.toString()));
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, error]).toEqual([0, ""]);
  });
});
