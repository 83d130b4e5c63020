import { describe, expect, it } from "vitest";
import { createProgress } from "./progress.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

function terminalWith(isTTY: boolean): { readonly terminal: Terminal; readonly written: () => string } {
  let written = "";
  const stderr = {
    isTTY,
    write: (text: string) => {
      written += text;
    },
  };
  const terminal = createTerminal({ stdout: { write: () => true }, stderr, env: {}, isAgent: false });
  return { terminal, written: () => written };
}

describe("createProgress", () => {
  it("createProgress draws a bar for long work, a few times per second, and clears it", () => {
    const { terminal, written } = terminalWith(true);
    let now = 0;
    const progress = createProgress(terminal, { total: 100, format: (value) => `${String(value)} MB`, now: () => now });
    progress.step(10);
    expect(written()).toBe("");
    now = 400;
    progress.step(50);
    expect(written()).toBe(`\r\u001b[2K${"█".repeat(12)}${"░".repeat(12)} 50 MB/100 MB`);
    now = 450;
    progress.step(60);
    expect(written()).not.toContain("60 MB");
    now = 500;
    progress.step(200);
    expect(written()).toContain(`${"█".repeat(24)} 200 MB/100 MB`);
    progress.end();
    expect(written().endsWith("\r\u001b[2K")).toBe(true);
  });

  it("createProgress shows nothing for short work", () => {
    const { terminal, written } = terminalWith(true);
    const progress = createProgress(terminal, { total: 3, now: () => 0 });
    for (const done of [1, 2, 3]) progress.step(done);
    progress.end();
    expect(written()).toBe("");
  });

  it.each([
    ["in a pipe", false, 3],
    ["without work", true, 0],
  ])("createProgress is silent %s", (_where, isTTY, total) => {
    const { terminal, written } = terminalWith(isTTY);
    let now = 0;
    const progress = createProgress(terminal, { total, now: () => (now += 1000) });
    progress.step(1);
    progress.end();
    expect(written()).toBe("");
  });
});
