import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { depth } from "@phasekit/tooling/test-depth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashContent } from "../sha256.ts";
import { createPromoter } from "./promote-artifact.ts";

const TEXT = "# Research\n";
/** Tries of the race; `PHASEKIT_FULL=1` takes the full number. */
const RACES = depth({ quick: 40, full: 100, long: 10_000 });
/** A command of the system, not of a package. */
const MAKE_PIPE = "mkfifo";
let folder: string;
let root: string;
let outside: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-"));
  root = join(folder, "project");
  outside = join(folder, "outside");
  mkdirSync(join(root, "docs", "research"), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.md"), "secret");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const promote = (
  to: string,
  {
    text = TEXT,
    base = null,
    allowed = ["docs"],
  }: { readonly text?: string; readonly base?: string | null; readonly allowed?: readonly string[] } = {},
) => createPromoter({ root })({ item: "SYM-001", text, hash: hashContent(text), to, base, allowed });
const refused = async (to: string, reason: string): Promise<void> => {
  expect(await promote(to)).toMatchObject({ ok: false, reason });
  expect(readdirSync(outside)).toEqual(["secret.md"]);
  expect(readFileSync(join(outside, "secret.md"), "utf8")).toBe("secret");
};
/** Nothing of an attempt is left over. */
const leftOvers = (): readonly string[] =>
  readdirSync(join(root, "docs", "research")).filter((name) => name.startsWith(".phasekit"));

describe("createPromoter", () => {
  it("createPromoter copies the accepted text, makes folders, and is idempotent", async () => {
    expect(await promote("docs/research/new/a.md")).toEqual({ ok: true });
    expect(readFileSync(join(root, "docs/research/new/a.md"), "utf8")).toBe(TEXT);
    expect(await promote("docs/research/new/a.md")).toEqual({ ok: true });
    expect(readdirSync(join(root, "docs/research/new"))).toEqual(["a.md"]);
  });

  it("A16: gives mode 0644 whatever the umask, never more", async () => {
    const before = process.umask(0);
    try {
      await promote("docs/research/a.md");
    } finally {
      process.umask(before);
    }
    expect(statSync(join(root, "docs/research/a.md")).mode & 0o7777).toBe(0o644);
    const strict = process.umask(0o077);
    try {
      await promote("docs/research/b.md");
    } finally {
      process.umask(strict);
    }
    expect(statSync(join(root, "docs/research/b.md")).mode & 0o7777).toBe(0o644);
  });

  it.each([
    "../outside/x.md",
    "docs/../../outside/x.md",
    "/tmp/x.md",
    "C:\\x",
    "docs/a\0.md",
    "docs/con.md",
    "docs/.git/config",
    "src/x.md",
    "docs/x".padEnd(1200, "x"),
  ])("A01–A05, A11, A14: refuses %j", async (to) => {
    expect((await promote(to)).ok).toBe(false);
    expect(readdirSync(folder).toSorted()).toEqual(["outside", "project"]);
    expect(readdirSync(join(root, "docs/research"))).toEqual([]);
  });

  it("A07: refuses a folder on the way that is a link, inside or outside", async () => {
    symlinkSync(outside, join(root, "docs", "out"));
    await refused("docs/out/x.md", "link");
    symlinkSync(join(root, "docs", "research"), join(root, "docs", "in"));
    await refused("docs/in/x.md", "link");
    writeFileSync(join(root, "docs", "file"), "x");
    await refused("docs/file/x.md", "not-a-folder");
  });

  it("A09: refuses a target that is a link, a folder, a pipe, a socket or has another name", async () => {
    const at = (name: string): string => join(root, "docs", "research", name);
    symlinkSync(join(outside, "secret.md"), at("link.md"));
    symlinkSync(join(outside, "absent.md"), at("dangling.md"));
    mkdirSync(at("folder.md"));
    execFileSync(MAKE_PIPE, [at("pipe.md")]);
    linkSync(join(outside, "secret.md"), at("hard.md"));
    const server = createServer().listen(at("socket.md"));
    await new Promise((resolve) => server.once("listening", resolve));
    await refused("docs/research/link.md", "link");
    await refused("docs/research/dangling.md", "link");
    await refused("docs/research/folder.md", "not-a-file");
    await refused("docs/research/pipe.md", "not-a-file");
    await refused("docs/research/socket.md", "not-a-file");
    await refused("docs/research/hard.md", "link");
    expect(leftOvers()).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  it("A12: replaces other content only when the claim names its hash", async () => {
    await promote("docs/research/a.md", { text: "old" });
    expect(await promote("docs/research/a.md")).toMatchObject({ ok: false, reason: "exists" });
    expect(await promote("docs/research/a.md", { base: hashContent("older") })).toMatchObject({
      ok: false,
      reason: "exists",
    });
    expect(readFileSync(join(root, "docs/research/a.md"), "utf8")).toBe("old");
    expect(await promote("docs/research/a.md", { base: hashContent("old") })).toEqual({ ok: true });
    expect(readFileSync(join(root, "docs/research/a.md"), "utf8")).toBe(TEXT);
    expect(leftOvers()).toEqual([]);
  });

  it("A13: refuses a name that differs in case or composition only", async () => {
    await promote("docs/research/Readme.md");
    await promote("docs/research/\u00e9.md");
    expect(await promote("docs/research/README.md")).toMatchObject({ ok: false, reason: "exists" });
    expect(await promote("docs/research/e\u0301.md")).toMatchObject({ ok: false, reason: "exists" });
  });

  it("createPromoter refuses text that is not the accepted one, or too long", async () => {
    expect(
      await createPromoter({ root })({
        item: "x",
        text: "a",
        hash: hashContent("b"),
        to: "docs/a.md",
        base: null,
        allowed: ["docs"],
      }),
    ).toMatchObject({ ok: false, reason: "other-content" });
    expect(await promote("docs/a.md", { text: "x".repeat(1_048_577) })).toMatchObject({
      ok: false,
      reason: "too-large",
    });
  });

  it("createPromoter says so when the root is gone or cannot be written", async () => {
    expect(
      await createPromoter({ root: join(folder, "gone") })({
        item: "x",
        text: TEXT,
        hash: hashContent(TEXT),
        to: "docs/a.md",
        base: null,
        allowed: ["docs"],
      }),
    ).toMatchObject({ ok: false, reason: "missing" });
    expect(existsSync(join(folder, "gone"))).toBe(false);
  });

  it("A08: never writes or reads outside while links are swapped in", async () => {
    const swapping = join(root, "docs", "swap");
    mkdirSync(swapping);
    // Another process swaps the folder for a link to the outside and back as fast as it can. Where a promotion has made
    // the folder anew meanwhile, the old one stays aside.
    const script = `
      const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
      const [folder, outside] = process.argv.slice(1);
      process.stdout.write("ready");
      for (let n = 0; ; n += 1) {
        const aside = folder + ".aside" + n;
        try { renameSync(folder, aside); } catch { continue; }
        try { symlinkSync(outside, folder); unlinkSync(folder); } catch {}
        try { renameSync(aside, folder); } catch {}
      }`;
    const { spawn } = await import("node:child_process");
    const attacker = spawn(process.execPath, ["-e", script, swapping, outside], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((resolve) => attacker.stdout.once("data", resolve));
    const promoted: string[] = [];
    try {
      for (let n = 0; n < RACES; n += 1) if ((await promote(`docs/swap/${n}.md`)).ok) promoted.push(`${n}.md`);
    } finally {
      attacker.kill("SIGKILL");
      await new Promise((resolve) => attacker.once("close", resolve));
    }
    expect(readdirSync(outside)).toEqual(["secret.md"]);
    // Whether a promotion meets the folder or the link is luck. One that succeeded is inside; a link is never written.
    if (lstatSync(swapping, { throwIfNoEntry: false })?.isSymbolicLink() === true) unlinkSync(swapping);
    expect(readdirSync(join(root, "docs"), { recursive: true }).map((path) => basename(String(path)))).toEqual(
      expect.arrayContaining(promoted),
    );
    expect(await promote("docs/swap/after.md")).toMatchObject({ ok: true });
  });

  it("createPromoter keeps a root that is reached through a link: that is the host's choice", async () => {
    symlinkSync(root, join(folder, "via"));
    expect(
      await createPromoter({ root: join(folder, "via") })({
        item: "x",
        text: TEXT,
        hash: hashContent(TEXT),
        to: "docs/a.md",
        base: null,
        allowed: ["docs"],
      }),
    ).toEqual({ ok: true });
    expect(lstatSync(join(root, "docs/a.md")).isFile()).toBe(true);
    chmodSync(join(root, "docs/a.md"), 0o600);
    renameSync(join(root, "docs/a.md"), join(root, "docs/b.md"));
  });
});
