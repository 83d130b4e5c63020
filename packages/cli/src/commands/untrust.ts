import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { CommandRun } from "../command.ts";
import { isSet } from "../command-options.ts";
import { readApprovals, writeApprovals } from "../config/trust-store.ts";
import { exitCodes } from "../exit-code.ts";
import { plural } from "../render/numbers.ts";
import { fileFor } from "./trust.ts";

/** Revokes the approval of one file, or all approvals. */
export const untrust: CommandRun = async ({ args: [argument], options }, context) => {
  const { env, cwd } = context;
  const approvals = await readApprovals(env);
  const isMeant = isSet(options, "all") ? () => true : isFile(pathFor(argument));
  const removed = approvals.filter(isMeant);
  const paths = [...new Set(removed.map(({ path }) => path))];
  if (removed.length > 0)
    writeApprovals(
      env,
      approvals.filter((approval) => !isMeant(approval)),
    );
  return {
    exitCode: exitCodes.ok,
    data: { removed },
    lines: [
      removed.length === 0
        ? "The file was not approved; nothing changed."
        : cleanText(`Revoked ${plural(removed.length, "approval")}: ${paths.join(", ")}`),
    ],
  };

  /** The file may no longer exist. */
  function pathFor(name: string | undefined): string {
    const path = name === undefined ? fileFor(undefined, context) : resolve(cwd, name);
    return existsSync(path) ? realpathSync(path) : path;
  }
};

const isFile =
  (wanted: string) =>
  ({ path }: { readonly path: string }): boolean =>
    path === wanted;
