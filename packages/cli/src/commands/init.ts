import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";

/** The files `init` writes, by path. They are compiled and run in a test. */
export const initialFiles: Readonly<Record<string, string>> = {
  "phasekit.config.ts": `import { codingRunOptions } from "@phasekit/coding";
import { defineConfig } from "phasekit";
import { noMigrations } from "./phasekit/no-migrations.ts";

export default defineConfig({
  // Where your own runs are kept, as given to createFileStore.
  runs: ".phasekit/runs",
  // How \`why\`, \`check\` and \`simulate\` read and judge runs.
  run: codingRunOptions({ policies: [noMigrations], budget: { turns: 200 } }),
  check: { maxWastedCalls: 20 },
});
`,
  "phasekit/no-migrations.ts": `import { definePolicy, refuse } from "@phasekit/core";

/** An example: migrations are written while acting, never while looking around. Try it with \`phasekit simulate\`. */
export const noMigrations = definePolicy({
  name: "no-migrations",
  phases: ["acting"],
  decide: {
    "tool.requested": (run, _state, { meaning }) =>
      meaning.activity === "edit" && meaning.targets?.some((file) => file.includes("migrations/")) && !run.isIn("acting")
        ? refuse("Migrations are written while acting. Say first what you want to change.")
        : undefined,
  },
});

export default noMigrations;
`,
};

/** Writes a config and an example policy; never over files that are there. */
export const init: CommandRun = async ({ options }, { cwd }) => {
  const paths = Object.keys(initialFiles);
  if (isSet(options, "dryRun")) {
    return { exitCode: exitCodes.ok, data: { written: [], files: initialFiles }, lines: paths.flatMap((path) => [`# ${path}`, ...(initialFiles[path] ?? "").trimEnd().split("\n"), ""]) };
  }
  // All or nothing: a half-written set-up helps nobody.
  const taken = paths.find((path) => existsSync(join(cwd, path)));
  if (taken !== undefined && !isSet(options, "force")) throw fileExists(taken);
  for (const path of paths) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), initialFiles[path] ?? "");
  }
  return {
    exitCode: exitCodes.ok,
    data: { written: paths, files: initialFiles },
    lines: [...paths.map((path) => `Wrote ${path}`), "Next: npm install phasekit @phasekit/core @phasekit/coding, then `phasekit simulate` tries the policy on your old runs."],
  };
};
