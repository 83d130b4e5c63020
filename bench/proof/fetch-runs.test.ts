import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fetchRuns, isFreshFolder, type PublicRuns, publicRuns } from "./fetch-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "fetch-runs-"));
const repository = join(folder, "repository");
let commit = "";

/** Git without the settings of this machine. */
function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
  return execFileSync("git", [...who, ...args], { cwd: repository, env, encoding: "utf8" });
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), text);
}

beforeAll(() => {
  mkdirSync(repository);
  git("init", "--quiet");
  write("runs/one.md", "# first");
  write("runs/one.json", '{"resolved": true}');
  write("runs/two.md", "# second");
  write("runs/two.json", '{"resolved": false}');
  write("runs/three.md", "no outcome");
  write("src/large.py", "not a log");
  git("add", ".");
  git("commit", "--quiet", "-m", "runs");
  commit = git("rev-parse", "HEAD").trim();
  git("config", "uploadpack.allowAnySHA1InWant", "true");
  git("config", "uploadpack.allowFilter", "true");
  // The list names a commit, not a branch: later changes do not count.
  write("runs/one.json", '{"resolved": false}');
  git("commit", "--quiet", "-am", "later");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = (change: Partial<PublicRuns> = {}): PublicRuns => ({
  set: "made",
  about: "made for this test",
  repository: pathToFileURL(repository).href,
  commit,
  licence: "MIT",
  logs: "runs/*.md",
  outcome: { file: "{log}.json", field: "resolved" },
  ...change,
});

describe("fetchRuns", () => {
  it("fetches the logs of a commit with their outcomes, and nothing else", async () => {
    const target = join(folder, "target");
    expect(isFreshFolder(target)).toBe(true);
    expect(await fetchRuns(source(), target)).toEqual({ set: "made", runs: 2, successes: 1, unknown: 1 });
    expect(readFileSync(join(target, "outcomes.tsv"), "utf8")).toBe(
      "made/runs__one.md\tsuccess\nmade/runs__two.md\tfailure\n",
    );
    expect(readFileSync(join(target, "logs/made/runs__one.md"), "utf8")).toBe("# first");
    expect(existsSync(join(target, "made.git-work"))).toBe(false);
    expect(isFreshFolder(target)).toBe(false);
  });

  it("fails with git's own words when the commit is not there", async () => {
    await expect(fetchRuns(source({ commit: "0".repeat(40) }), join(folder, "absent"))).rejects.toThrow(/0000000/);
  });
});

it("the list names a commit for every repository, no branch", () => {
  for (const { commit: named, repository: address } of publicRuns()) {
    expect(named).toMatch(/^[0-9a-f]{40}$/);
    expect(address).toMatch(/^https:\/\/github\.com\//);
  }
});
