import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const SCREEN = JSON.stringify(join(import.meta.dirname, "terminal-screen.ts"));

/** Runs a program that takes the screen, in a process of its own. */
function runScreen(rest: string): { readonly out: string; readonly error: string; readonly code: number | null } {
  const program = `
    import { PassThrough } from "node:stream";
    import { createTerminalScreen } from ${SCREEN};
    const stdin = Object.assign(new PassThrough(), { setRawMode: (on) => process.stdout.write("<raw " + on + ">") });
    const screen = createTerminalScreen({ stdin, stdout: process.stdout });
    screen.during("<enter>", "<leave>");
    screen.onKey(() => undefined);
    ${rest}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  return { out: stdout, error: stderr, code: status };
}

describe("createTerminalScreen", () => {
  it("restores the terminal of a process that crashes, before the error is printed", () => {
    const { out, error, code } = runScreen(`setTimeout(() => { throw new Error("our bug"); }, 1);`);
    expect(out).toBe("<enter><raw true><leave><raw false>");
    expect(error).toContain("our bug");
    expect(code).not.toBe(0);
  });

  it("restores the terminal of a process that exits", () => {
    expect(runScreen("process.exit(3);")).toEqual({ out: "<enter><raw true><leave><raw false>", error: "", code: 3 });
  });
});
