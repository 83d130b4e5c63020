import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekit } from "./run-cli.ts";

/** Packages that read and judge logs. Loading them takes longer than the rest of a short command. */
const READERS = ["coding", "reading", "report", "tracker", "transcripts", "watchdog"];

/** Returns the packages of ours that a command loads. */
async function loadedBy(args: readonly string[], home: string): Promise<readonly string[]> {
  const folder = emptyHome();
  const { code } = await phasekit(args, { home, built: true, env: { NODE_V8_COVERAGE: folder } });
  expect(code).toBe(0);
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url);
  });
  return [...new Set(urls.flatMap((url) => /\/packages\/([a-z-]+)\/dist\//.exec(url)?.[1] ?? []))];
}

describe("the start of a command", () => {
  it("loads no reader for the version, the help, and logs that did not change", async () => {
    const home = emptyHome();
    const logs = join(home, "logs");
    mkdirSync(logs);
    writeFileSync(join(logs, "run.json"), sampleLogs.verified);
    expect(await loadedBy(["runs", logs], home)).toEqual(expect.arrayContaining(["cli", "reading", "transcripts"]));
    for (const args of [["--version"], ["--help"], ["runs", logs], ["why", logs]]) {
      const loaded = await loadedBy(args, home);
      expect(loaded, args.join(" ")).toContain("cli");
      // Stories use the words of the ledger.
      const unwanted = args.length === 1 ? [...READERS, "ledger"] : READERS;
      expect(
        loaded.filter((name) => unwanted.includes(name)),
        args.join(" "),
      ).toEqual([]);
    }
  });
});
