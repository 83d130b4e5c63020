import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readerVersion } from "./reader-version.ts";

const SRC = join(import.meta.dirname, "..");

it("the version of a summary covers every package that makes one", () => {
  const makers = ["read-worker.ts", "run-presets.ts", "log-index/summarize-log.ts"].concat(
    readdirSync(join(SRC, "logs"))
      .filter((name) => !name.endsWith(".test.ts"))
      .map((name) => join("logs", name)),
  );
  const imported = new Set(
    makers.flatMap((path) => readFileSync(join(SRC, path), "utf8").match(/(?<=from ")@phasekit\/[^"]+/g) ?? []),
  );
  const covered = readFileSync(join(import.meta.dirname, "reader-version.ts"), "utf8");
  expect([...imported].filter((entry) => !covered.includes(`"${entry}"`))).toEqual([]);
  expect(readerVersion()).toMatch(/^[0-9a-f]{16}$/);
});
