import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekit, phasekitHere } from "./run-cli.ts";

const CODE = ["ts", "mts", "js", "mjs"] as const;
const isRoot = process.getuid?.() === 0;

/** A repository that leaves a marker as soon as anything of it runs. */
function evilRepo(names: readonly string[] = CODE.map((ending) => `phasekit.config.${ending}`)): {
  readonly cwd: string;
  readonly home: string;
  readonly hasRun: () => boolean;
} {
  const home = emptyHome();
  const cwd = join(home, "repo");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const marker = join(home, "marker");
  for (const name of names) writeFileSync(join(cwd, name), evilCode(marker));
  writeFileSync(join(cwd, "log.json"), sampleLogs.verified);
  mkdirSync(join(cwd, "contracts"));
  return { cwd, home, hasRun: () => existsSync(marker) };
}

const evilCode = (marker: string): string =>
  [
    'import { writeFileSync } from "node:fs";',
    `writeFileSync(${JSON.stringify(marker)}, "ran");`,
    'export default { check: { without: ["verified"] } };\n',
  ].join("\n");

/** Every command line that reads, and some that write. */
const READING: readonly (readonly string[])[] = [
  ["why"],
  ["why", "log.json"],
  ["why", "log.json", "--json"],
  ["runs"],
  ["runs", "log.json"],
  ["check", "log.json"],
  ["check", "log.json", "--json"],
  ["tail", "log.json", "--no-follow"],
  ["diff", "log.json", "log.json"],
  ["doctor"],
  ["doctor", "--json"],
  ["export", "log.json", "--json"],
  ["export", "log.json", "--atif"],
  ["report", "log.json"],
  ["report", "log.json", "--compare", "--policy", "coding", "--policy", "none"],
  ["simulate", "log.json"],
  ["simulate", "log.json", "--policy", "coding"],
  ["contracts", "check"],
  ["contracts", "prompt", "x"],
  ["contracts", "new", "research"],
  ["explain", "done"],
  ["completion", "bash"],
  ["complete", "--", "wh"],
  ["init", "--dry-run"],
  ["trust", "--list"],
  ["untrust"],
  ["runs", "--db"],
  ["db", "status"],
  ["worker", "--once", "--db", "postgres://127.0.0.1:1/x"],
  ["ui", "nowhere"],
  ["--help"],
];

describe("a hostile repository", () => {
  it.each(READING.map((args) => ({ args, name: args.join(" ") })))(
    "phasekit $name runs nothing of it",
    async ({ args }) => {
      const { cwd, home, hasRun } = evilRepo();
      const { code } = await phasekit(args, { cwd, home });
      expect(hasRun()).toBe(false);
      expect(code).not.toBe(4);
    },
  );

  it.each(CODE)("phasekit.config.%s runs when it is named, so the marker works", async (ending) => {
    const { cwd, home, hasRun } = evilRepo();
    await phasekit(["why", "log.json", "--config", `phasekit.config.${ending}`], { cwd, home });
    expect(hasRun()).toBe(true);
  });

  it.each(CODE)("a config in %s alone is left out, and the line says how to approve it", async (ending) => {
    const name = `phasekit.config.${ending}`;
    const { cwd, home, hasRun } = evilRepo([name]);
    const { code, out, error } = await phasekit(["why", "log.json"], { cwd, home });
    expect([code, hasRun()]).toEqual([0, false]);
    expect(error).toBe(`Did not run ${name}: you have not approved it. To approve it: phasekit trust ${name}\n`);
    expect(out).toContain("ENDED");
  });

  it.each([
    ["a policy file named by data", "phasekit.config.json", JSON.stringify({ policy: "./evil.ts" })],
    ["a tag of YAML", "phasekit.config.yaml", "runs: !!js/function \"function(){require('fs')}\"\n"],
    ["code in data", "phasekit.config.json", 'require("fs").writeFileSync("marker", "")'],
  ])("%s does not run", async (_what, name, text) => {
    const { cwd, home, hasRun } = evilRepo([]);
    writeFileSync(join(cwd, name), text);
    writeFileSync(join(cwd, "evil.ts"), evilCode(join(home, "marker")));
    await phasekit(["why", "log.json"], { cwd, home });
    await phasekit(["simulate", "log.json"], { cwd, home });
    expect(hasRun()).toBe(false);
  });

  // A smoke test: with current git it also passes without the switches in base-config.ts.
  it("check starts no command of a hostile .git/config", async () => {
    const { cwd, home, hasRun } = evilRepo(["phasekit.config.ts"]);
    rmSync(join(cwd, ".git"), { recursive: true });
    const git = (...args: readonly string[]): void =>
      void execFileSync("git", args, { cwd, env: { PATH: process.env["PATH"], HOME: home }, stdio: "ignore" });
    git("init", "-q");
    writeFileSync(join(cwd, "phasekit.config.json"), "{}");
    git("add", "log.json", "phasekit.config.json");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "x");
    const command = `touch ${join(home, "marker")}`;
    for (const key of ["core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.editor"])
      git("config", key, command);
    // A clone that lacks an object fetches it, by whatever command its own config names.
    git("config", "core.repositoryformatversion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.url", `ext::${command}`);
    git("config", "remote.origin.promisor", "true");
    git("config", "remote.origin.partialclonefilter", "blob:none");
    git("config", "protocol.ext.allow", "always");
    const id = createHash("sha1").update("blob 2\0{}").digest("hex");
    rmSync(join(cwd, ".git/objects", id.slice(0, 2), id.slice(2)));
    rmSync(join(home, "marker"), { force: true });
    expect((await phasekit(["check", "log.json"], { cwd, home })).code).toBe(0);
    expect(hasRun()).toBe(false);
  });

  it("a data config can only tighten the check", async () => {
    const { cwd, home } = evilRepo([]);
    writeFileSync(join(cwd, "log.json"), sampleLogs.unverified);
    writeFileSync(
      join(cwd, "phasekit.config.json"),
      JSON.stringify({ check: { without: ["verified", "finished", "no-loop", "config"] }, policy: "none" }),
    );
    const { code, out } = await phasekit(["check", "log.json"], { cwd, home });
    expect([code, out.includes("FAIL     verified")]).toEqual([1, true]);
  });
});

describe("config search", () => {
  /** Folders outside of home, in a place only this user can write to. */
  const outside = (): string => mkdtempSync(join(tmpdir(), "phasekit-out-"));
  const usesConfig = async (cwd: string, home: string): Promise<boolean> => {
    writeFileSync(join(cwd, "log.json"), sampleLogs.verified);
    const { out } = await phasekitHere(["check", "log.json", "--json"], { cwd, home });
    return (JSON.parse(out) as { readonly failed: readonly string[] }).failed.includes("max-turns");
  };
  const CONFIG = JSON.stringify({ check: { maxTurns: 0 } });

  it("a config above the repository is not found", async () => {
    const top = outside();
    mkdirSync(join(top, "repo/.git"), { recursive: true });
    mkdirSync(join(top, "repo/deep/er"), { recursive: true });
    writeFileSync(join(top, "phasekit.config.json"), CONFIG);
    expect(await usesConfig(join(top, "repo/deep/er"), emptyHome())).toBe(false);
    writeFileSync(join(top, "repo/phasekit.config.json"), CONFIG);
    expect(await usesConfig(join(top, "repo/deep/er"), emptyHome())).toBe(true);
  });

  it("outside of a repository and home, only the folder itself is searched", async () => {
    const top = outside();
    mkdirSync(join(top, "deep"));
    writeFileSync(join(top, "phasekit.config.json"), CONFIG);
    expect(await usesConfig(join(top, "deep"), emptyHome())).toBe(false);
    expect(await usesConfig(top, emptyHome())).toBe(true);
  });

  it("a config above home is not found, even in a repository above home", async () => {
    const top = outside();
    const home = join(top, "home");
    mkdirSync(join(home, "work"), { recursive: true });
    mkdirSync(join(top, ".git"));
    writeFileSync(join(top, "phasekit.config.json"), CONFIG);
    expect(await usesConfig(join(home, "work"), home)).toBe(false);
    writeFileSync(join(home, "phasekit.config.json"), CONFIG);
    expect(await usesConfig(join(home, "work"), home)).toBe(true);
  });

  it.each([
    ["a file every user may write to", (cwd: string) => chmodSync(join(cwd, "phasekit.config.json"), 0o666)],
    ["a folder every user may write to", (cwd: string) => chmodSync(cwd, 0o1777)],
    [
      "a link into a folder every user may write to",
      (cwd: string) => {
        const open = join(cwd, "open");
        mkdirSync(open);
        chmodSync(open, 0o777);
        writeFileSync(join(open, "c.json"), CONFIG);
        rmSync(join(cwd, "phasekit.config.json"));
        symlinkSync(join(open, "c.json"), join(cwd, "phasekit.config.json"));
      },
    ],
  ])("loadConfig refuses %s and says so", async (_what, spoil) => {
    const cwd = outside();
    writeFileSync(join(cwd, "phasekit.config.json"), CONFIG);
    spoil(cwd);
    expect(await usesConfig(cwd, emptyHome())).toBe(false);
    const { error } = await phasekitHere(["why", "log.json"], { cwd });
    expect(error).toMatch(/^Ignored phasekit\.config\.json: every user can write to it/);
  });

  it.runIf(isRoot).each([
    ["a file", (cwd: string) => chownSync(join(cwd, "phasekit.config.json"), 65_534, 65_534)],
    ["a folder", (cwd: string) => chownSync(cwd, 65_534, 65_534)],
  ])("loadConfig refuses %s of another user", async (_what, give) => {
    const cwd = outside();
    writeFileSync(join(cwd, "phasekit.config.json"), CONFIG);
    give(cwd);
    expect(await usesConfig(cwd, emptyHome())).toBe(false);
  });

  it.runIf(isRoot)("loadConfig refuses a file that another group can write to", async () => {
    const cwd = outside();
    writeFileSync(join(cwd, "phasekit.config.json"), CONFIG);
    chownSync(join(cwd, "phasekit.config.json"), 0, 65_534);
    chmodSync(join(cwd, "phasekit.config.json"), 0o664);
    expect(await usesConfig(cwd, emptyHome())).toBe(false);
  });
});

describe("phasekit trust", () => {
  const ran = (home: string): boolean => {
    const there = existsSync(join(home, "marker"));
    rmSync(join(home, "marker"), { force: true });
    return there;
  };
  const why = async (place: { readonly cwd: string; readonly home: string }, ...more: readonly string[]) => {
    const { error } = await phasekit(["why", "log.json", ...more], place);
    return { ran: ran(place.home), error };
  };

  it("trust lets this content run until it changes or the approval is revoked", async () => {
    const place = evilRepo(["phasekit.config.mjs"]);
    const { cwd, home } = place;
    expect((await phasekit(["trust"], place)).out).toContain(`Approved ${join(cwd, "phasekit.config.mjs")}`);
    expect(await why(place)).toEqual({ ran: true, error: "" });
    expect((await phasekit(["trust", "--list"], place)).out).toContain("phasekit.config.mjs");

    const file = join(cwd, "phasekit.config.mjs");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}\n`);
    expect(await why(place)).toEqual({
      ran: false,
      error:
        "Did not run phasekit.config.mjs: it changed since you approved it. " +
        "To approve it: phasekit trust phasekit.config.mjs\n",
    });
    writeFileSync(file, text);
    expect((await why(place)).ran).toBe(true);
    expect((await phasekit(["untrust"], place)).out).toMatch(/^Revoked 1 approval/);
    expect((await why(place)).ran).toBe(false);

    const kept = join(home, ".config/phasekit/trust.json");
    expect([statSync(kept).mode & 0o777, statSync(join(home, ".config/phasekit")).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  it("trust covers relative imports in every spelling", async () => {
    for (const [statement, file] of [
      ['import "./part.mjs";', "part.mjs"],
      ['import x from/* here */"./part.js";', "part.ts"],
      ['export * from "./folder";', "folder/index.mjs"],
      ['await import(/* c */ "./part.mjs");', "part.mjs"],
    ] as const) {
      const place = evilRepo([]);
      const config = join(place.cwd, "phasekit.config.mjs");
      mkdirSync(join(place.cwd, "folder"));
      writeFileSync(join(place.cwd, file), "export default 1;\n");
      writeFileSync(config, `${statement}\n${evilCode(join(place.home, "marker"))}`);
      await phasekit(["trust"], place);
      writeFileSync(join(place.cwd, file), "export default 2;\n");
      expect([statement, (await why(place)).error.includes("changed since you approved")]).toEqual([statement, true]);
    }
  });

  it("trust lists imports that it does not cover", async () => {
    const place = evilRepo([]);
    writeFileSync(
      join(place.cwd, "phasekit.config.mjs"),
      'import "left-pad";\nconst x = "./y";\nawait import(x);\nexport default {};\n',
    );
    const { out } = await phasekitHere(["trust", "--json"], place);
    expect(JSON.parse(out)).toMatchObject({ uncovered: ["computed imports in phasekit.config.mjs", "left-pad"] });
  });

  it("--trust-config runs the config once", async () => {
    const place = evilRepo(["phasekit.config.mjs"]);
    expect((await why(place, "--trust-config")).ran).toBe(true);
    expect((await why(place)).ran).toBe(false);
  });

  it("approvals that other users can write are rejected", async () => {
    const place = evilRepo(["phasekit.config.mjs"]);
    await phasekit(["trust"], place);
    chmodSync(join(place.home, ".config/phasekit/trust.json"), 0o666);
    const { code, error } = await phasekit(["why", "log.json"], place);
    expect([code, error.startsWith("BAD_TRUST_STORE"), ran(place.home)]).toEqual([2, true, false]);
  });

  it("approvals inside the repository do not count", async () => {
    const place = evilRepo(["phasekit.config.mjs"]);
    const env = { XDG_CONFIG_HOME: join(place.cwd, "conf") };
    await phasekit(["trust"], { ...place, env });
    await phasekit(["why", "log.json"], { ...place, env });
    expect(ran(place.home)).toBe(false);
  });

  it("trust refuses to run for an agent", async () => {
    const place = evilRepo(["phasekit.config.mjs"]);
    expect((await phasekitHere(["trust"], { ...place, env: { AI_AGENT: "test" } })).code).toBe(2);
  });

  it("trust lets a policy file named by a data config run", async () => {
    const place = evilRepo([]);
    writeFileSync(join(place.cwd, "phasekit.config.yaml"), "policy: policy.mjs\n");
    writeFileSync(
      join(place.cwd, "policy.mjs"),
      `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(join(place.home, "marker"))}, "");
export default { name: "mine", decide: {} };
`,
    );
    expect(await why(place)).toEqual({
      ran: false,
      error: "Did not run policy.mjs: you have not approved it. To approve it: phasekit trust policy.mjs\n",
    });
    await phasekit(["trust", "policy.mjs"], place);
    expect(await why(place)).toEqual({ ran: true, error: "" });
  });
});
