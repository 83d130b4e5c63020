import { fromSources } from "@phasekit/tooling/source-condition";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileStore } from "./file-store.ts";

const PROGRAM = `
  import { createRun } from "@phasekit/core";
  import { keepRun } from "${join(import.meta.dirname, "keep-run.ts")}";
  const run = createRun({ id: "served" });
  keepRun(run, { folder: process.argv[2], quiet: true });
  run.record({ type: "turn.started" });
  if (process.argv[3] === "own") process.on("SIGTERM", () => process.exit(7));
  process.stdout.write("ready");
  setInterval(() => undefined, 1000);
`;

/** Runs a server that keeps a run, and stops it with a signal. */
async function serve(folder: string, { signal, own = "" }: { readonly signal: NodeJS.Signals; readonly own?: string }) {
  const program = join(import.meta.dirname, `__served-${process.pid}-${signal}${own}.mjs`);
  writeFileSync(program, PROGRAM);
  try {
    const child = spawn(process.execPath, fromSources(program, folder, own), { stdio: ["ignore", "pipe", "inherit"] });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill(signal);
    return await new Promise<{ code: number | null; by: string | null }>((resolve) => {
      child.on("close", (code, by) => resolve({ code, by }));
    });
  } finally {
    rmSync(program, { force: true });
  }
}

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "phasekit-keep-")), ".phasekit/runs");

describe("keepRun", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "ends the run on %s, and the signal ends the process",
    async (signal) => {
      const folder = newFolder();
      expect(await serve(folder, { signal })).toEqual({ code: null, by: signal });
      const [summary] = await createFileStore(folder).list();
      expect(summary).toMatchObject({ run: "served", reason: "interrupted" });
    },
  );

  it("leaves the signal to a host that handles it, and ends the run when the process does", async () => {
    const folder = newFolder();
    expect(await serve(folder, { signal: "SIGTERM", own: "own" })).toEqual({ code: 7, by: null });
    expect(await createFileStore(folder).list()).toMatchObject([{ run: "served", reason: "interrupted" }]);
  });

  it("keeps `.phasekit` out of git, and changes no file of the user", async () => {
    const folder = newFolder();
    await serve(folder, { signal: "SIGTERM" });
    const file = join(folder, "../.gitignore");
    expect(readFileSync(file, "utf8")).toMatch(/^\*$/m);
    writeFileSync(file, "mine");
    await serve(folder, { signal: "SIGINT" });
    expect(readFileSync(file, "utf8")).toBe("mine");
    const other = join(mkdtempSync(join(tmpdir(), "phasekit-keep-")), "runs");
    mkdirSync(other);
    await serve(other, { signal: "SIGTERM" });
    expect(existsSync(join(other, "../.gitignore"))).toBe(false);
  });
});
