import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { textWidth } from "../src/clean-text.ts";
import { createFakeTty } from "./fake-tty.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

/** A project with two logs in a folder of the config. */
function projectWithLogs(): string {
  const cwd = emptyHome();
  mkdirSync(join(cwd, "logs"));
  writeFileSync(join(cwd, "logs/a.json"), sampleLogs.verified);
  writeFileSync(join(cwd, "logs/loop.json"), sampleLogs.loop);
  writeFileSync(join(cwd, "phasekit.config.yaml"), "logs: [logs]\n");
  return cwd;
}

describe("a terminal of 40, 80 or 140 columns", () => {
  it.each([
    "",
    "help --all",
    "help init",
    "why logs/loop.json",
    "why logs/a.json",
    "runs logs",
    "runs logs --by end",
    "simulate logs",
    "simulate logs --policy none --compare coding",
    "check logs/loop.json --max-turns 2",
    "diff logs/a.json logs/loop.json",
    "explain",
    "explain done_unverified",
    "explain NO_LOGS",
    "trust --list",
    "untrust --all",
    "watch --once",
    "tail logs/loop.json --no-follow",
    "demo loop --fast",
    "wathc",
    "why nope",
  ])("phasekit %s has no line that the terminal would break", async (line) => {
    for (const columns of [40, 80, 140]) {
      const tty = createFakeTty({ columns, rows: 30 });
      const { out, error } = await phasekitHere(line === "" ? [] : line.split(" "), {
        cwd: projectWithLogs(),
        tty,
        stderrIsTty: true,
        env: { NO_COLOR: "1" },
      });
      const lines = `${out}\n${error}`.split(/\r?\n|\r/);
      expect(lines.length).toBeGreaterThan(1);
      // Examples are for pasting.
      const broken = lines.filter((text) => textWidth(text) > columns && !text.startsWith("  $ "));
      // A path or a word that is longer than the terminal is not cut.
      expect(broken.filter((text) => text.trim().includes(" "))).toEqual([]);
    }
  });
});
