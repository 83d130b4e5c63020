import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createArtifactFiles } from "./artifact-files.ts";
import { loadContracts } from "./load-contracts.ts";

/** A command of the system, not of a package. */
const MAKE_PIPE = "mkfifo";
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const write = (path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const read = (path = "docs/a.md", worktree: string | null = join(folder, "worktree")) =>
  createArtifactFiles({ projectRoot: join(folder, "project"), maxBytes: 1000 }).read(path, {
    worktree: worktree ?? undefined,
  });

describe("createArtifactFiles", () => {
  it("createArtifactFiles reads the worktree, then the project; a worktree without the file is a warning", async () => {
    write("project/docs/a.md", "project");
    expect(await read("docs/a.md", null)).toEqual({ status: "found", text: "project", from: "project" });
    expect(await read()).toMatchObject({
      from: "project",
      warning: "The worktree of the latest run has no such file; the project's copy was used.",
    });
    write("worktree/docs/a.md", "worktree");
    expect(await read()).toEqual({ status: "found", text: "worktree", from: "worktree" });
    expect(await read("docs/b.md")).toEqual({ status: "missing" });
    expect(await read("docs/a.md/b.md")).toMatchObject({ status: "refused" });
  });

  it("A06, A07: follows no link to the file or on the way, and does not fall back past one", async () => {
    write("outside/secret.md", "secret");
    write("project/docs/a.md", "project");
    mkdirSync(join(folder, "worktree/docs"), { recursive: true });
    symlinkSync(join(folder, "outside/secret.md"), join(folder, "worktree/docs/a.md"));
    expect(await read()).toMatchObject({ status: "refused", reason: "link" });
    symlinkSync(join(folder, "outside"), join(folder, "worktree/linked"));
    expect(await read("linked/secret.md")).toMatchObject({ status: "refused", reason: "link" });
  });

  it("A10: refuses pipes, folders and files without end, without waiting", async () => {
    mkdirSync(join(folder, "worktree/docs/folder.md"), { recursive: true });
    execFileSync(MAKE_PIPE, [join(folder, "worktree/docs/pipe.md")]);
    expect(await read("docs/folder.md")).toMatchObject({ status: "refused", reason: "not-a-file" });
    expect(await read("docs/pipe.md")).toMatchObject({ status: "refused", reason: "not-a-file" });
    expect(await createArtifactFiles({ projectRoot: "/dev" }).read("zero", { worktree: undefined })).toMatchObject({
      status: "refused",
      reason: "not-a-file",
    });
  });

  it("A14: refuses a large or sparse file before reading it", async () => {
    write("worktree/docs/a.md", "x".repeat(1000));
    expect(await read()).toMatchObject({ status: "found" });
    write("worktree/docs/b.md", "x".repeat(1001));
    expect(await read("docs/b.md")).toMatchObject({ status: "refused", reason: "too-large" });
    write("worktree/docs/c.md", "");
    truncateSync(join(folder, "worktree/docs/c.md"), 10 * 1024 ** 3);
    expect(await read("docs/c.md")).toMatchObject({ status: "refused", reason: "too-large" });
  });

  it("A31: refuses what is not UTF-8", async () => {
    write("worktree/docs/a.md", new Uint8Array([0x23, 0xff, 0xfe]));
    expect(await read()).toMatchObject({ status: "refused", reason: "encoding" });
  });

  it.each(["../x.md", "/etc/passwd", "a\\b", "~/x", "a\0"])("createArtifactFiles refuses the path %j", async (path) => {
    expect(await read(path)).toMatchObject({ status: "refused" });
  });
});

describe("loadContracts", () => {
  const contract = (phase: string, next: string): string =>
    `---\nphase: ${phase}\ncontract_version: 1\nnext_phase: ${next}\n---\nDo it.\n`;
  const load = () => loadContracts(join(folder, "phases"));

  it("loadContracts reads a folder and checks the set", async () => {
    write("phases/research.md", contract("research", "ready"));
    write("phases/ready.md", contract("ready", "null"));
    write("phases/notes.txt", "not a contract");
    expect(await load()).toMatchObject({ ok: true, contracts: { initial: "research" } });
  });

  it("loadContracts reports every broken file, and uses none of the set", async () => {
    write("phases/research.md", contract("research", "ready"));
    write("phases/a.md", "no front matter");
    write("phases/b.md", "---\nphase: b\ncontract_version: x\n---\n");
    write("phases/c.md", new Uint8Array([0xff, 0xfe, 0x2d, 0x00]));
    write("phases/d.md", `${contract("d", "null")}${"x".repeat(70_000)}`);
    symlinkSync("/etc/hostname", join(folder, "phases/e.md"));
    const loaded = await load();
    expect(loaded.ok).toBe(false);
    expect(
      loaded.ok
        ? []
        : loaded.issues.map(({ file, line, column, code }) => `${file.split("/").at(-1)!}:${line}:${column} ${code}`),
    ).toEqual([
      "a.md:1:1 FRONT_MATTER",
      "b.md:2:1 FIELD",
      "b.md:3:1 FIELD",
      "c.md:1:1 ENCODING",
      "d.md:1:1 TOO_LARGE",
      "e.md:1:1 UNREADABLE",
    ]);
  });

  it("loadContracts reports mistakes in names beside those of types, each at its place", async () => {
    write("phases/a.md", "---\nphase: a\ncontract_version: x\nnext_phase: excute\n---\n");
    write(
      "phases/b.md",
      "---\nphase: b\ncontract_version: 1\nnext_phase: null\nvalidation:\n  structural_checks:\n" +
        "    - artifact_exists\n    - has_owner\n  escalate_if: [big_change]\ndone_when:\n  - tests_are_green\n---\n",
    );
    const issues = async (): Promise<readonly string[]> => {
      const loaded = await load();
      return (loaded.ok ? loaded.warnings : loaded.issues).map(
        ({ file, line, column, message }) => `${file.split("/").at(-1)!}:${line}:${column} ${message.split(";")[0]!}`,
      );
    };
    const names = [
      'b.md:8:7 structural check "has_owner" is unknown',
      'b.md:9:17 trigger "big_change" is unknown',
      'b.md:11:5 done_when "tests_are_green" looks like a check, but no check has this name',
    ];
    const next = 'a.md:4:1 next_phase "excute" has no contract';
    const both = "contracts:1:1 there are several first phases: a, b";
    const type = "a.md:3:1 contract_version: expected number, received string";
    expect(await issues()).toEqual([type, next, ...names, both]);
    // The name of a file without a phase is unknown, so "excute" may be it.
    write("phases/c.md", "---\nphase: [c]\ncontract_version: 1\nnext_phase: null\n---\n");
    expect(await issues()).toEqual([type, ...names, "c.md:2:1 phase: expected string, received array"]);
    write("phases/c.md", contract("excute", "b"));
    expect(await issues()).toEqual([type, ...names]);
    write("phases/a.md", contract("a", "excute"));
    expect(await issues()).toEqual(names);
  });

  it("loadContracts reports a set that does not fit together, and a folder that is not there", async () => {
    write("phases/research.md", contract("research", "ready"));
    expect(await load()).toMatchObject({
      ok: false,
      issues: [{ message: 'next_phase "ready" has no contract; use one of: research' }],
    });
    expect(await loadContracts(join(folder, "gone"))).toMatchObject({ ok: false, issues: [{ code: "UNREADABLE" }] });
  });
});
