import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";
import { createRun } from "@phasekit/core";
import { storeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { createClaudeSession } from "./claude-session.ts";
import { emptyHome, phasekit, phasekitHere, processEnv } from "./run-cli.ts";

const BIN = join(import.meta.dirname, "../src/bin.ts");

async function storeWith(...ids: readonly string[]): Promise<{ readonly cwd: string; readonly folder: string }> {
  const cwd = emptyHome();
  const folder = join(cwd, ".phasekit", "runs");
  for (const id of ids) {
    const run = createRun({ id, task: { text: `The task of ${id}` } });
    const stored = storeRun(run, createFileStore(folder));
    run.beforeTurn();
    run.end();
    await stored.close();
  }
  return { cwd, folder };
}

describe("phasekit report", () => {
  it("report writes the newest run as one page", async () => {
    const { cwd } = await storeWith("run-one");
    const { code, out } = await phasekit(["report"], { cwd });
    expect([code, out]).toEqual([
      0,
      "Wrote phasekit-report.html. Open it in a browser; it loads nothing from the network.\n",
    ]);
    expect(readFileSync(join(cwd, "phasekit-report.html"), "utf8")).toContain("<title>The task of run-one</title>");
  });

  it("report --share leaves out the task, the project and the id of the run", async () => {
    const { cwd } = await storeWith("run-annabel");
    expect((await phasekit(["report", "--share", "--out", "shared.html"], { cwd })).code).toBe(0);
    const html = readFileSync(join(cwd, "shared.html"), "utf8");
    expect(html).toContain("<title>Run 1</title>");
    expect(html).not.toContain("annabel");
    await phasekit(["report", ".phasekit/runs", "--share", "--out", "shared-folder"], { cwd });
    expect(readFileSync(join(cwd, "shared-folder", "index.html"), "utf8")).not.toContain("annabel");
  });

  it("report overwrites its own page, and no other file", async () => {
    const { cwd } = await storeWith("run-one");
    await phasekit(["report"], { cwd });
    expect((await phasekit(["report"], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, "notes.html"), "my notes");
    const { code, error } = await phasekit(["report", "--out", "notes.html"], { cwd });
    expect([code, error.includes("FILE_EXISTS")]).toEqual([2, true]);
    expect(readFileSync(join(cwd, "notes.html"), "utf8")).toBe("my notes");
  });

  it("report shows the tool, the project and the cost that `why` shows", async () => {
    const cwd = emptyHome();
    const session = createClaudeSession(cwd, "/projects/shop", { id: "priced" });
    session.prompt("What is here?");
    session.call("ls", "package.json");
    session.says("A shop.");
    const priced = async (...options: readonly string[]): Promise<readonly [unknown, unknown]> => {
      const why = await phasekit(["why", session.path, "--json", ...options], { cwd });
      await phasekit(["report", session.path, ...options], { cwd });
      const html = readFileSync(join(cwd, "phasekit-report.html"), "utf8");
      const index = /id="phasekit-index">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
      const { runs } = JSON.parse(index) as { readonly runs: readonly [{ readonly line: Record<string, unknown> }] };
      const { tool, project, cost, unpricedCalls } = runs[0].line;
      expect([tool, project]).toEqual(["Claude Code", "shop"]);
      const shown = (JSON.parse(why.out) as { readonly cost: Record<string, unknown> }).cost;
      return [
        { usd: cost, unpricedCalls },
        { usd: shown["usd"], unpricedCalls: shown["unpricedCalls"] },
      ];
    };
    writeFileSync(join(cwd, "prices.json"), JSON.stringify({ model: { input: 1000, output: 1000 } }));
    const [shown, expected] = await priced("--prices", "prices.json");
    expect([shown, expected]).toEqual(Array.from({ length: 2 }, () => ({ usd: 2.02, unpricedCalls: 0 })));
    const [unknown, same] = await priced();
    expect([unknown, same]).toEqual(Array.from({ length: 2 }, () => ({ usd: undefined, unpricedCalls: 2 })));
  });

  it.each(Object.entries(sampleLogs))("report and why agree on the loops of the log %s", async (name, text) => {
    const cwd = emptyHome();
    writeFileSync(join(cwd, `${name}.json`), text);
    const why = JSON.parse((await phasekit(["why", `${name}.json`, "--json"], { cwd })).out) as {
      readonly story: { readonly loops: readonly unknown[] };
    };
    await phasekit(["report", `${name}.json`], { cwd });
    const html = readFileSync(join(cwd, "phasekit-report.html"), "utf8");
    expect(Number(/"loops":(\d+)/.exec(html)?.[1])).toBe(why.story.loops.length);
  });

  it("report writes a folder of runs, and a comparison of two", async () => {
    const { cwd, folder } = await storeWith("run-one", "run-two");
    expect((await phasekit(["report", folder, "--out", "all"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "all", "index.html"), "utf8")).toContain("<title>Runs in runs/</title>");
    const { out } = await phasekit(["report", "--compare", "run-one", "run-two", "--out", "two.html", "--json"], {
      cwd,
    });
    expect(JSON.parse(out)).toMatchObject({ v: 2, command: "report", exitCode: 0, files: 1 });
    expect(readFileSync(join(cwd, "two.html"), "utf8")).toContain('"compare":["run-one","run-two"]');
  });

  it("report compares one run under two policies", async () => {
    const { cwd } = await storeWith("run-one");
    const { code, error } = await phasekit(
      ["report", "run-one", "--compare", "--policy", "coding", "--policy", "none", "--out", "two.html"],
      { cwd },
    );
    expect([code, error]).toEqual([0, ""]);
    expect(readFileSync(join(cwd, "two.html"), "utf8")).toContain('"compare":["run-one, coding","run-one, none"]');
  });

  it.each([
    [["report", "--compare", "run-one", "--policy", "coding"]],
    [["report", "run-one", "--policy", "coding", "--policy", "none"]],
    [["report", "--compare", "run-one"]],
    [["report", "run-one", "run-two"]],
    [["ui", "nowhere"]],
  ] as const)("refuses %j", async (args) => {
    const { cwd } = await storeWith("run-one", "run-two");
    const { code, error } = await phasekit(args, { cwd });
    expect([code, error.includes("BAD_ARGUMENT")]).toEqual([2, true]);
    expect(existsSync(join(cwd, "phasekit-report.html"))).toBe(false);
  });
});

describe("phasekit ui", () => {
  it("ui serves the runs to the first browser and ends on Ctrl-C", async () => {
    const { cwd } = await storeWith("run-one");
    const { child, url, closed } = await startUi(cwd);
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/api/runs`)).status).toBe(401);
    const headers = { "x-phasekit-token": await exchange(url) };
    expect(await (await fetch(`${origin}/api/runs`, { headers })).json()).toMatchObject([
      { line: { run: "run-one", title: "The task of run-one" } },
    ]);
    child.kill("SIGINT");
    await closed;
    expect(child.exitCode).toBe(0);
  });

  it("ui --open puts no secret on a command line", async () => {
    const { cwd } = await storeWith("run-one");
    const bin = join(cwd, "bin");
    const seen = join(cwd, "seen");
    mkdirSync(bin);
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}.part\nmv ${seen}.part ${seen}\n`, {
      mode: 0o755,
    });
    const { child, closed } = await startUi(cwd, ["--open"], `${bin}:${process.env["PATH"] ?? ""}`);
    await expect.poll(() => existsSync(seen), { timeout: 600_000 }).toBe(true);
    const argument = readFileSync(seen, "utf8").trim();
    expect(argument).toMatch(/^\/.*\/phasekit\/open-[0-9a-f-]{36}\.html$/);
    expect(statSync(argument).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(argument)).mode & 0o777).toBe(0o700);
    const url = /url=(http:[^"]+)"/.exec(readFileSync(argument, "utf8"))?.[1] ?? "";
    expect(await exchange(url)).not.toBe("");
    await expect.poll(() => existsSync(argument)).toBe(false);
    child.kill("SIGINT");
    await closed;
  });

  it.runIf(process.platform !== "win32")("ui --open opens no page in a folder that others can write to", async () => {
    const { cwd } = await storeWith("run-one");
    const home = emptyHome();
    const state = join(home, ".local/state/phasekit");
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o777);
    const stop = new AbortController();
    const onOut = (): Promise<void> => {
      setImmediate(() => {
        stop.abort();
      });
      return Promise.resolve();
    };
    const { error } = await phasekitHere(["ui", "--open"], { cwd, home, signal: stop.signal, onOut });
    expect(error).toBe(`The browser was not opened: ${state}: every user can write to it.\n`);
    expect(readdirSync(state)).toEqual([]);
  });

  async function startUi(cwd: string, more: readonly string[] = [], path = process.env["PATH"]) {
    mkdirSync(join(cwd, "empty"));
    const child = spawn(process.execPath, fromSources(BIN, "ui", "--json", ...more), {
      cwd,
      env: { PATH: path, HOME: join(cwd, "empty") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const line = await new Promise<string>((resolve) =>
      child.stdout.once("data", (data: Buffer) => {
        resolve(data.toString());
      }),
    );
    const { url } = JSON.parse(line.split("\n", 1)[0] ?? "") as { readonly url: string };
    return { child, url, closed };
  }

  async function exchange(url: string): Promise<string> {
    const { origin, hash } = new URL(url);
    const response = await fetch(`${origin}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: hash.replace("#code=", "") }),
    });
    return ((await response.json()) as { readonly token?: string }).token ?? "";
  }
});

describe("written files", () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  /** Runs the program under umask 0, as some services do. */
  const openly = (args: readonly string[], cwd: string): void =>
    void execFileSync("sh", ["-c", 'umask 0; exec "$@"', "sh", process.execPath, ...fromSources(BIN, ...args)], {
      cwd,
      env: { ...processEnv, HOME: emptyHome() },
    });

  it("reports and exports are private under any umask, unless --public is given", async () => {
    const { cwd, folder } = await storeWith("run-one", "run-two");
    openly(["report", "run-one", "--out", "pages/a.html"], cwd);
    openly(["report", folder, "--out", "all"], cwd);
    openly(["export", "run-one", "--json", "--out", "a.json"], cwd);
    openly(["export", "run-one", "--archive", "stored"], cwd);
    expect(
      ["pages", "pages/a.html", "all", "all/index.html", "a.json", "stored"].map((p) => modeOf(join(cwd, p))),
    ).toEqual(["700", "600", "700", "600", "600", "700"]);
    for (const name of readdirSync(join(cwd, "stored"))) expect(modeOf(join(cwd, "stored", name))).toBe("600");
    openly(["report", "run-one", "--out", "b.html", "--public"], cwd);
    openly(["export", "run-one", "--json", "--out", "b.json", "--public"], cwd);
    openly(["export", "run-one", "--archive", "open", "--public"], cwd);
    expect(["b.html", "b.json", "open", "open/summary.json.gz"].map((p) => modeOf(join(cwd, p)))).toEqual([
      "644",
      "644",
      "755",
      "644",
    ]);
  });

  it("report makes a public page private again and does not follow a link", async () => {
    const { cwd } = await storeWith("run-one");
    const page = join(cwd, "phasekit-report.html");
    await phasekit(["report", "--public"], { cwd });
    expect(modeOf(page)).toBe("644");
    await phasekit(["report"], { cwd });
    expect(modeOf(page)).toBe("600");
    renameSync(page, join(cwd, "mine.html"));
    const before = readFileSync(join(cwd, "mine.html"), "utf8");
    symlinkSync(join(cwd, "mine.html"), page);
    await phasekit(["report", "--compare", "run-one", "--policy", "coding", "--policy", "none"], { cwd });
    expect(readFileSync(join(cwd, "mine.html"), "utf8")).toBe(before);
  });

  it("init writes files that other users cannot write to", () => {
    const cwd = emptyHome();
    openly(["init"], cwd);
    expect(["phasekit.config.yaml", "phasekit", "phasekit/no-migrations.ts"].map((p) => modeOf(join(cwd, p)))).toEqual([
      "644",
      "755",
      "644",
    ]);
  });
});
