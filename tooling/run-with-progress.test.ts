import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";

const MODULE = new URL("./run-with-progress.ts", import.meta.url).href;
const HEAD = `import { exitInterrupted, runWithProgress } from ${JSON.stringify(MODULE)};`;

/** A command that measures a row, then never ends without Ctrl-C. A library of it wants to end it earlier. */
const ENDLESS = `${HEAD}
process.on("SIGINT", () => process.exit(3));
const isInterrupted = await runWithProgress({ total: 3, unit: "rows" }, async (progress) => {
  progress.now("endless");
  progress.print("first row");
  progress.count();
  try {
    for (;;) await progress.pause(0, 1);
  } finally {
    progress.print("cleaned up");
  }
});
console.log("the end");
if (isInterrupted) exitInterrupted();
`;

/** A command that ignores the first Ctrl-C. */
const STUBBORN = `${HEAD}
await runWithProgress({ total: 1, unit: "rows" }, async (progress, signal) => {
  signal.addEventListener("abort", () => progress.print("still here"));
  progress.print("first row");
  setInterval(() => undefined, 1000);
  await new Promise(() => undefined);
});
`;

const FAILING = `${HEAD}
await runWithProgress({ total: 1, unit: "rows" }, () => Promise.reject(new Error("no disk")));
`;

/** Runs a program; sends an interrupt each time it prints one of these lines. */
async function run(program: string, interruptAt: readonly string[] = []) {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  let out = "";
  let err = "";
  const pending = [...interruptAt];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    const [next] = pending;
    if (next === undefined || !out.includes(next)) return;
    pending.shift();
    child.kill("SIGINT");
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  const [code] = (await once(child, "close")) as [number | null];
  return { out, err, code };
}

// Windows has no signals: a process that gets one ends.
describe.skipIf(process.platform === "win32")("runWithProgress", () => {
  it("Ctrl-C lets the work clean up; what was printed stays, and the exit code is 130", async () => {
    const { out, err, code } = await run(ENDLESS, ["first row"]);
    expect(out).toBe("first row\ncleaned up\nthe end\n");
    expect(err).toMatch(/^\[0\/3 rows, 3 left, \d+ s\] endless\n[^]*\nInterrupted after 1 of 3 rows\.\n$/);
    expect(code).toBe(130);
  });

  it("a second Ctrl-C ends a command that ignores the first", async () => {
    const { out, code } = await run(STUBBORN, ["first row", "still here"]);
    expect(out).toBe("first row\nstill here\n");
    expect(code).toBe(130);
  });

  it("an error of the work ends the command", async () => {
    const { err, code } = await run(FAILING);
    expect(err).toContain("no disk");
    expect(err).not.toContain("Interrupted");
    expect(code).toBe(1);
  });
});
