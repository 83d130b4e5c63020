import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CommandContext, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { homeFolder } from "../config/user-folders.ts";
import { badArgument, fileExists } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";

/** The files `init` writes, by path. A test compiles and runs them. */
export const initialFiles: Readonly<Record<string, string>> = {
  "phasekit.config.yaml": `# Every command reads this file. It is data and never runs. All keys: docs/cli.md.
# The folder of your own runs, as passed to createFileStore.
runs: .phasekit/runs
# The policies that judge runs: coding, watchdog, gates, none, or a file. A file runs only after you approve it:
#   phasekit trust phasekit/no-migrations.ts
policy: coding
check:
  maxWastedCalls: 20
`,
  "phasekit/no-migrations.ts": `import { definePolicy, refuse } from "@phasekit/core";

/**
 * Example: refuses edits to migrations outside the acting phase.
 * Try it: phasekit simulate --policy phasekit/no-migrations.ts
 */
export const noMigrations = definePolicy({
  name: "no-migrations",
  mentions: ["acting"],
  decide: {
    "tool.requested": (run, _state, { meaning }) =>
      meaning.activity === "edit" &&
      meaning.targets?.some((file) => file.includes("migrations/")) &&
      !run.isIn("acting")
        ? refuse("Edit migrations only in the acting phase. First say what you want to change.")
        : undefined,
  },
});

export default noMigrations;
`,
};

/** Puts hooks into an agent. Without one, writes a config and an example policy; overwrites only with `--force`. */
export const init: CommandRun = async (input, context) => {
  const { args, options } = input;
  const plugin = textOption(options, "plugin");
  if (plugin !== undefined) return (await import("../hooks/install/init-agent.ts")).initPlugin(plugin, context);
  // A diff of settings is not wrapped.
  if (args.length > 0)
    return { ...(await (await import("../hooks/install/init-agent.ts")).initAgent(input, context)), isCode: true };
  const stray = Object.keys(AGENT_OPTIONS).find((name) => options[name] !== undefined);
  if (stray !== undefined)
    throw badArgument(
      `--${stray} needs an agent`,
      // own key: one of the names of the table
      `Name one: \`phasekit init claude-code --${stray}${AGENT_OPTIONS[stray] ?? ""}\`.`,
    );
  return await writeFiles(input, context);
};

/** Options that mean something only with an agent, with a value to paste. */
const AGENT_OPTIONS: Readonly<Record<string, string>> = {
  mode: " nudge",
  scope: " user",
  transport: " command",
  statusline: "",
  uninstall: "",
};

const writeFiles: CommandRun = async ({ options }, { cwd, env }) => {
  const paths = Object.keys(initialFiles);
  if (isSet(options, "dryRun")) {
    return {
      exitCode: exitCodes.ok,
      data: { written: [], files: initialFiles },
      // own key: one of its paths
      lines: paths.flatMap((path) => [`# ${path}`, ...(initialFiles[path] ?? "").trimEnd().split("\n"), ""]),
      isCode: true,
    };
  }
  // All or nothing: a half-written setup is useless.
  const taken = paths.find((path) => existsSync(join(cwd, path)));
  if (taken !== undefined && !isSet(options, "force")) throw fileExists(taken);
  for (const path of paths) {
    // Not writable by others under any umask: Phasekit ignores a config that others can write.
    await mkdir(dirname(join(cwd, path)), { recursive: true, mode: 0o755 });
    // own key: one of its paths
    await writeFile(join(cwd, path), initialFiles[path] ?? "", { mode: 0o644 });
  }
  return {
    exitCode: exitCodes.ok,
    data: { written: paths, files: initialFiles },
    lines: [
      ...paths.map((path) => `Wrote ${path}`),
      "Next: test the policy on your old runs with `phasekit simulate --policy phasekit/no-migrations.ts`.",
      ...(await offer(env)),
    ],
  };
};

/** One line for each agent that ran on this machine. */
async function offer(env: CommandContext["env"]): Promise<readonly string[]> {
  const { findAgents } = await import("../hooks/install/find-agents.ts");
  return findAgents({ home: homeFolder(env) }).map((agent) => `Live in an agent you have: phasekit init ${agent}`);
}
