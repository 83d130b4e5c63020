import { existsSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { badTrustStore } from "../errors.ts";
import { unsafeBecause } from "./file-safety.ts";
import { isInside, repositoryOf } from "./find-config.ts";
import { writePrivateFile } from "./private-folder.ts";
import { homeFolder, userConfigFolder } from "./user-folders.ts";

/** A file the user approved, by path and content. */
export interface Approval {
  /** The real path. */
  readonly path: string;
  readonly sha256: string;
  /** The time of the approval, ISO 8601. */
  readonly at: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the path of the approvals: a private file of the user, mode 0600. */
export const trustFile = (env: Env): string => join(userConfigFolder(env), "trust.json");

/**
 * Returns the approvals of this user; none without a file.
 * @throws BAD_TRUST_STORE if the file is broken or other users can write to it
 */
export async function readApprovals(env: Env): Promise<readonly Approval[]> {
  const file = trustFile(env);
  if (!existsSync(file)) return [];
  const problem = unsafeBecause(file);
  if (problem !== undefined) throw badTrustStore(file, problem);
  try {
    const { approvals } = JSON.parse(await readFile(file, "utf8")) as { readonly approvals?: unknown };
    if (!Array.isArray(approvals) || !approvals.every(isApproval))
      throw new Error("it does not contain a list of approvals");
    return approvals;
  } catch (error) {
    throw badTrustStore(file, error instanceof Error ? error.message : String(error));
  }
}

/** Replaces the approvals of this user. */
export function writeApprovals(env: Env, approvals: readonly Approval[]): void {
  writePrivateFile(trustFile(env), `${JSON.stringify({ v: 1, approvals }, undefined, 2)}\n`);
}

/**
 * Returns the approval of a file: `approved`, `changed` (approved with other content) or `none`. Approvals stored in
 * the same repository as the file do not count: one author may have written both.
 */
export async function approvalOf(
  path: string,
  { env, hash }: { readonly env: Env; readonly hash: () => Promise<string> },
): Promise<"approved" | "changed" | "none"> {
  const real = realpathSync(path);
  const approvals = (await readApprovals(env)).filter((approval) => approval.path === real);
  if (approvals.length === 0 || isKeptBeside(real, env)) return "none";
  const sha256 = await hash();
  return approvals.some((approval) => approval.sha256 === sha256) ? "approved" : "changed";
}

/** Returns the approved configs of these folders that no longer exist. */
export async function missingApprovals(env: Env, folders: readonly string[]): Promise<readonly string[]> {
  const real = folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
  const paths = (await readApprovals(env)).map(({ path }) => path);
  return [...new Set(paths)].filter((path) => real.includes(dirname(path)) && !existsSync(path));
}

function isKeptBeside(path: string, env: Env): boolean {
  const repository = repositoryOf(dirname(path));
  // A home folder may be a repository of its own.
  return (
    repository !== undefined &&
    !isInside(homeFolder(env), repository) &&
    isInside(realpathSync(trustFile(env)), realpathSync(repository))
  );
}

function isApproval(value: unknown): value is Approval {
  if (typeof value !== "object" || value === null) return false;
  const { path, sha256, at } = value as Readonly<Record<string, unknown>>;
  return typeof path === "string" && typeof sha256 === "string" && typeof at === "string";
}
