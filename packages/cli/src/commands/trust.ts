import { existsSync, realpathSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { Answer, CommandContext, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { unsafeBecause } from "../config/file-safety.ts";
import { configsIn, isData, searchedFolders } from "../config/find-config.ts";
import { hashCode, sha256Of } from "../config/hash-code.ts";
import { readApprovals, trustFile, writeApprovals } from "../config/trust-store.ts";
import { homeFolder } from "../config/user-folders.ts";
import { badArgument } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { readFile } from "node:fs/promises";

/** Approves a file for this user, by its real path and content. */
export const trust: CommandRun = async ({ args: [argument], options }, context) => {
  if (isSet(options, "list")) return await list(context);
  const { env, cwd, now, terminal } = context;
  // Stops an agent that follows the hint. It does not stop an agent that tries to get around it.
  if (terminal.isAgent)
    throw badArgument("An agent cannot approve code", "Ask the user to run `phasekit trust <file>`.");
  const path = realpathSync(fileFor(argument ?? textOption(options, "config"), context));
  const problem = unsafeBecause(path);
  if (problem !== undefined)
    throw badArgument(
      `Cannot approve "${path}": ${problem}`,
      "Restrict it first: `chmod go-w` the file and its folder.",
    );
  const { sha256, files, uncovered } = isData(path)
    ? { sha256: sha256Of(await readFile(path)), files: [path], uncovered: [] }
    : await hashCode(path);
  const others = (await readApprovals(env)).filter((known) => known.path !== path || known.sha256 !== sha256);
  writeApprovals(env, [...others, { path, sha256, at: new Date(now()).toISOString() }]);
  return {
    exitCode: exitCodes.ok,
    data: { path, sha256, files, uncovered, kept: trustFile(env) },
    lines: [
      `Approved ${path}`,
      `sha256 ${sha256}`,
      ...files.slice(1).map((file) => `with ${relative(cwd, file)}`),
      ...(uncovered.length === 0 ? [] : [`Not covered by the hash: ${uncovered.join(", ")}`]),
      "The approval holds until the content changes. Revoke it with `phasekit untrust`.",
    ].map(cleanText),
  };
};

async function list({ env }: CommandContext): Promise<Answer> {
  const approvals = await readApprovals(env);
  return {
    exitCode: exitCodes.ok,
    data: { approvals, kept: trustFile(env) },
    lines:
      approvals.length === 0
        ? ["No files are approved."]
        : approvals.map(({ path, sha256, at }) => cleanText(`${sha256.slice(0, 12)}  ${at.slice(0, 10)}  ${path}`)),
  };
}

/** Returns the named file, or the nearest config; code before data. */
export function fileFor(argument: string | undefined, { cwd, env }: Pick<CommandContext, "cwd" | "env">): string {
  if (argument !== undefined) {
    const path = resolve(cwd, argument);
    if (!existsSync(path) || !statSync(path).isFile())
      throw badArgument(`"${argument}" is not a file`, "Name a config or a policy file: `phasekit trust <file>`.");
    return path;
  }
  for (const folder of searchedFolders(cwd, homeFolder(env))) {
    const found = configsIn(folder);
    const path = found.find((name) => !isData(name)) ?? found[0];
    if (path !== undefined && existsSync(path)) return path;
  }
  throw badArgument("Found no config", "Name a file: `phasekit trust <file>`.");
}
