import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekit } from "./run-cli.ts";

/** Returns the bytes of our code that a command loads. */
async function codeLoadedBy(args: readonly string[], home: string): Promise<number> {
  const folder = emptyHome();
  const { code } = await phasekit(args, { home, built: true, env: { NODE_V8_COVERAGE: folder } });
  expect(code).toBe(0);
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => /\/packages\/[a-z-]+\/dist\//.test(url));
  });
  return [...new Set(urls)].reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
}

describe("the start of a command", () => {
  it("loads no reader for the version, the help, and logs that did not change", async () => {
    const home = emptyHome();
    const logs = join(home, "logs");
    mkdirSync(logs);
    writeFileSync(join(logs, "run.json"), sampleLogs.verified);
    const reading = await codeLoadedBy(["runs", logs], home);
    // Loading what reads and judges logs takes longer than the rest of a short command.
    for (const args of [["--version"], ["--help"], ["runs", logs], ["why", logs]])
      expect(await codeLoadedBy(args, home), args.join(" ")).toBeLessThan(reading / 2);
  });
});
