import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, processEnv } from "./run-cli.ts";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const ROOT = join(import.meta.dirname, "../../..");
const BIN = join(import.meta.dirname, "../src/bin.ts");
const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8")) as Action;

/** Does what a runner does with the steps of an action: expressions, conditions, files for outputs and summaries. */
function runAction(
  given: Readonly<Record<string, string>>,
  { cwd, pullRequest = "" }: { readonly cwd: string; readonly pullRequest?: string },
) {
  const machine = emptyHome();
  const tools = join(machine, "tools");
  const summary = join(machine, "summary.md");
  const comments = join(machine, "comments.txt");
  mkdirSync(tools);
  writeFileSync(summary, "");
  // The registry has the published program; this one has the sources.
  const program = [process.execPath, ...fromSources(BIN)].map((word) => `'${word}'`).join(" ");
  write(join(tools, "npx"), `[ "$1 $2" = "--yes phasekit@latest" ] || exit 90\nshift 2\nexec ${program} "$@"`);
  write(join(tools, "gh"), `printf '%s\\n' "$@" >> '${comments}'`);
  const values = new Map<string, string>([
    ["runner.temp", machine],
    ["github.token", "secret"],
    ["github.repository", "acme/app"],
    ["github.event.pull_request.number", pullRequest],
  ]);
  const evaluate = (text: string): string =>
    text.replace(/\$\{\{\s*([\w.-]+)(?:\s*==\s*'([^']*)')?\s*\}\}/g, (_whole, name: string, wanted?: string) => {
      const value = values.get(name);
      if (value === undefined) throw new Error(`unknown expression ${name}`);
      return wanted === undefined ? value : String(value === wanted);
    });
  for (const [name, { default: value }] of Object.entries(action.inputs))
    values.set(`inputs.${name}`, given[name] ?? evaluate(value));
  const uploads: string[] = [];
  let output = "";
  for (const step of action.runs.steps) {
    if (step.if !== undefined && evaluate(step.if) !== "true") continue;
    if (step.run === undefined) {
      uploads.push(evaluate(step.with?.["path"] ?? ""));
      continue;
    }
    const outputs = join(machine, "outputs");
    writeFileSync(outputs, "");
    const script = join(machine, "step.sh");
    writeFileSync(script, evaluate(step.run));
    const { status, stdout, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", script], {
      cwd,
      encoding: "utf8",
      env: {
        ...processEnv,
        PATH: [tools, processEnv["PATH"]].join(delimiter),
        HOME: machine,
        GITHUB_ACTIONS: "true",
        GITHUB_OUTPUT: outputs,
        GITHUB_STEP_SUMMARY: summary,
        ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, evaluate(value)])),
      },
    });
    output += stdout + stderr;
    for (const line of readFileSync(outputs, "utf8").split("\n").filter(Boolean)) {
      const at = line.indexOf("=");
      values.set(`steps.${step.id ?? ""}.outputs.${line.slice(0, at)}`, line.slice(at + 1));
    }
    // The next steps of a failed job do not run.
    if (status !== 0) return result(status);
  }
  return result(0);

  function result(status: number | null) {
    const folder = join(machine, "phasekit");
    return {
      status,
      output,
      uploads: uploads.map((path) => path.replace(machine, "")),
      folder,
      summary: readFileSync(summary, "utf8"),
      comments: existsSync(comments) ? readFileSync(comments, "utf8").replaceAll(machine, "") : "",
    };
  }
}

function write(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const { verified: good, unverified: bad } = sampleLogs;

function project(logs: Readonly<Record<string, string>>): string {
  const cwd = emptyHome();
  mkdirSync(join(cwd, "logs"));
  for (const [name, text] of Object.entries(logs)) writeFileSync(join(cwd, "logs", name), text);
  return cwd;
}

describe("action.yml", () => {
  it("a job fails if one of the runs fails, and has the table, the page and the comment", () => {
    const cwd = project({ "good.json": good, "bad.json": bad });
    const { status, output, summary, folder, uploads, comments } = runAction(
      { runs: "logs", comment: "true" },
      { cwd, pullRequest: "7" },
    );
    expect(status).toBe(1);
    expect(output).toContain("2 runs: 1 passed, 1 failed");
    expect(output).toMatch(/^::error title=Phasekit%3A bad%2C verified::no, claimed/m);
    expect(summary).toContain("### Phasekit: 2 runs, 1 failed");
    expect(uploads).toEqual(["/phasekit"]);
    expect(readFileSync(join(folder, "page/index.html"), "utf8")).toContain("<html");
    expect(readFileSync(join(folder, "junit.xml"), "utf8")).toContain('failures="1"');
    expect(comments.split("\n")).toEqual([
      "pr",
      "comment",
      "7",
      "--repo",
      "acme/app",
      "--body-file",
      "/phasekit/table.md",
      "--edit-last",
      "--create-if-none",
      "",
    ]);
  });

  it("a job passes if all runs do, and options with quotes reach the check", () => {
    const cwd = project({ "good.json": good, "bad.json": bad });
    const args = `--waive verified --reason "docs $(touch owned) only"`;
    const { status, summary, uploads } = runAction({ runs: "logs", args, page: "false" }, { cwd });
    expect(status).toBe(0);
    expect(summary).toContain("| WAIVED |");
    expect(uploads).toEqual([]);
    expect(existsSync(join(cwd, "owned"))).toBe(false);
  });

  it("a job without a run to check fails", () => {
    expect(runAction({ runs: "nothing-here" }, { cwd: emptyHome() }).status).toBe(3);
  });
});
