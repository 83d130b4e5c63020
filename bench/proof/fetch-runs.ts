import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Recorded runs in a public repository, and where their outcomes are. */
export interface PublicRuns {
  readonly set: string;
  readonly about: string;
  readonly repository: string;
  readonly commit: string;
  readonly licence: string;
  /** Glob of the logs in the repository. */
  readonly logs: string;
  /** A JSON file beside each log, `{log}` without its ending or in its `{folder}`; the field is true or 1 for a success. */
  readonly outcome: { readonly file: string; readonly field: string };
}

/** The counts of one fetched repository. */
export interface FetchedRuns {
  readonly set: string;
  readonly runs: number;
  readonly successes: number;
  /** Logs without an outcome; they are left out. */
  readonly unknown: number;
}

/** The repositories of the proof. */
export function publicRuns(): readonly PublicRuns[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "public-runs.json"), "utf8")) as readonly PublicRuns[];
}

/**
 * Fetches the logs of one repository at its commit, and nothing else of it, into `<folder>/logs/<set>`. Adds their outcomes
 * to `<folder>/outcomes.tsv`, the file that `pnpm judgement --outcomes` takes.
 */
export async function fetchRuns(source: PublicRuns, folder: string, signal?: AbortSignal): Promise<FetchedRuns> {
  const clone = join(folder, `${source.set}.git-work`);
  mkdirSync(clone, { recursive: true });
  const git = async (...args: readonly string[]): Promise<string> => {
    const options = { cwd: clone, maxBuffer: 2 ** 28, ...(signal !== undefined && { signal }) };
    return (await run("git", ["-c", "core.autocrlf=false", ...args], options)).stdout;
  };
  try {
    await git("init", "--quiet");
    await git("fetch", "--quiet", "--depth", "1", "--filter=blob:none", source.repository, source.commit);
    const files = (await git("ls-tree", "-r", "-z", "--name-only", "FETCH_HEAD")).split("\0");
    const logs = files.filter((file) => posix.matchesGlob(file, source.logs));
    const pairs = logs.map((log) => ({ log, outcome: outcomeFile(source, log) }));
    const known = pairs.filter(({ outcome }) => files.includes(outcome));
    const wanted = join(clone, ".git", "phasekit-paths");
    writeFileSync(wanted, known.flatMap(({ log, outcome }) => [log, outcome]).join("\0"));
    if (known.length > 0)
      await git("checkout", "--quiet", "FETCH_HEAD", `--pathspec-from-file=${wanted}`, "--pathspec-file-nul");
    const outcomes = known.map(({ log, outcome }) => keepLog(source, { log, outcome, clone, folder }));
    const lines = outcomes.map(({ name, isSuccess }) => `${name}\t${isSuccess ? "success" : "failure"}\n`);
    writeFileSync(join(folder, "outcomes.tsv"), lines.join(""), { flag: "a" });
    return {
      set: source.set,
      runs: known.length,
      successes: outcomes.filter(({ isSuccess }) => isSuccess).length,
      unknown: logs.length - known.length,
    };
  } finally {
    rmSync(clone, { recursive: true, force: true });
  }
}

function outcomeFile({ outcome }: PublicRuns, log: string): string {
  return outcome.file.replace("{log}", log.replace(/\.\w+$/, "")).replace("{folder}", posix.dirname(log));
}

interface KnownLog {
  readonly log: string;
  readonly outcome: string;
  readonly clone: string;
  readonly folder: string;
}

function keepLog(
  { set, outcome: { field } }: PublicRuns,
  { log, outcome, clone, folder }: KnownLog,
): { readonly name: string; readonly isSuccess: boolean } {
  const name = posix.join(set, log.replaceAll("/", "__"));
  const target = join(folder, "logs", name);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(clone, log), target);
  const value = (JSON.parse(readFileSync(join(clone, outcome), "utf8")) as Record<string, unknown>)[field];
  return { name, isSuccess: value === true || value === 1 };
}

/** True if the folder can take fetched runs: it is absent, or nothing was fetched into it yet. */
export function isFreshFolder(folder: string): boolean {
  return !existsSync(join(folder, "outcomes.tsv"));
}
