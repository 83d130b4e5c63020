import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRun } from "@phasekit/core";
import { archiveRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { describe, expect, it } from "vitest";
import { emptyHome, phasekit } from "./run-cli.ts";

const BIN = join(import.meta.dirname, "../dist/bin.js");

async function storeWith(...ids: readonly string[]): Promise<{ readonly cwd: string; readonly folder: string }> {
  const cwd = emptyHome();
  const folder = join(cwd, ".phasekit", "runs");
  for (const id of ids) {
    const run = createRun({ id, task: { text: `The task of ${id}` } });
    const archive = archiveRun(run, createFileStore(folder));
    run.beforeTurn();
    run.end();
    await archive.close();
  }
  return { cwd, folder };
}

describe("phasekit report", () => {
  it("writes the newest run as one page", async () => {
    const { cwd } = await storeWith("run-one");
    const { code, out } = await phasekit(["report"], { cwd });
    expect([code, out]).toEqual([0, "Wrote phasekit-report.html. It opens from disk and loads nothing.\n"]);
    expect(readFileSync(join(cwd, "phasekit-report.html"), "utf8")).toContain("<title>The task of run-one</title>");
  });

  it("replaces its own page, and nothing else", async () => {
    const { cwd } = await storeWith("run-one");
    await phasekit(["report"], { cwd });
    expect((await phasekit(["report"], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, "notes.html"), "my notes");
    const { code, error } = await phasekit(["report", "--out", "notes.html"], { cwd });
    expect([code, error.includes("FILE_EXISTS")]).toEqual([2, true]);
    expect(readFileSync(join(cwd, "notes.html"), "utf8")).toBe("my notes");
  });

  it("writes a folder of runs, and two runs side by side", async () => {
    const { cwd, folder } = await storeWith("run-one", "run-two");
    expect((await phasekit(["report", folder, "--out", "all"], { cwd })).code).toBe(0);
    expect(readFileSync(join(cwd, "all", "index.html"), "utf8")).toContain("<title>2 runs</title>");
    const { out } = await phasekit(["report", "--compare", "run-one", "run-two", "--out", "two.html", "--json"], { cwd });
    expect(JSON.parse(out)).toMatchObject({ v: 1, command: "report", exitCode: 0, files: 1 });
    expect(readFileSync(join(cwd, "two.html"), "utf8")).toContain('"compare":["run-one","run-two"]');
  });

  it("sets one run under two policies side by side", async () => {
    const { cwd } = await storeWith("run-one");
    const { code, error } = await phasekit(["report", "run-one", "--compare", "--policy", "coding", "--policy", "none", "--out", "two.html"], { cwd });
    expect([code, error]).toEqual([0, ""]);
    expect(readFileSync(join(cwd, "two.html"), "utf8")).toContain('"compare":["run-one, coding","run-one, none"]');
  });

  it.each([[["report", "--compare", "run-one", "--policy", "coding"]], [["report", "run-one", "--policy", "coding", "--policy", "none"]], [["report", "--compare", "run-one"]], [["report", "run-one", "run-two"]], [["ui", "nowhere"]]] as const)("refuses %j", async (args) => {
    const { cwd } = await storeWith("run-one", "run-two");
    const { code, error } = await phasekit(args, { cwd });
    expect([code, error.includes("BAD_ARGUMENT")]).toEqual([2, true]);
    expect(existsSync(join(cwd, "phasekit-report.html"))).toBe(false);
  });
});

describe("phasekit ui", () => {
  it("serves the runs to who has the address, and ends with Ctrl-C", async () => {
    const { cwd } = await storeWith("run-one");
    mkdirSync(join(cwd, "empty"));
    const child = spawn(process.execPath, [BIN, "ui", "--json"], { cwd, env: { PATH: process.env["PATH"], HOME: join(cwd, "empty") }, stdio: ["ignore", "pipe", "inherit"] });
    const closed = new Promise((resolve) => child.once("close", resolve));
    const line = await new Promise<string>((resolve) => child.stdout.once("data", (data: Buffer) => { resolve(data.toString()); }));
    const { url } = JSON.parse(line.split("\n", 1)[0] ?? "") as { readonly url: string };
    const { origin, searchParams } = new URL(url);
    const headers = { "x-phasekit-token": searchParams.get("token") ?? "" };
    expect((await fetch(`${origin}/api/runs`)).status).toBe(401);
    expect(await (await fetch(`${origin}/api/runs`, { headers })).json()).toMatchObject([{ line: { run: "run-one", title: "The task of run-one" } }]);
    child.kill("SIGINT");
    await closed;
    expect(child.exitCode).toBe(0);
  });
});
