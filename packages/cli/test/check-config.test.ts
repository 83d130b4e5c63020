import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sampleLogs } from "../src/__fixtures__/sample-logs.ts";
import { emptyHome, phasekitHere, processEnv } from "./run-cli.ts";

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly git: (...args: readonly string[]) => string;
}

interface Checked {
  readonly exitCode: number;
  readonly failed: readonly string[];
  readonly gates: readonly { readonly gate: string; readonly verdict: string }[];
  readonly config: {
    readonly path: string | null;
    readonly sha256: string | null;
    readonly change: string;
    readonly heldBack: boolean;
    readonly approved: boolean;
    readonly base: { readonly name: string; readonly commit: string } | null;
  };
}

/** A repository with a log that is not verified, and files in its first commit. */
function repository(files: Readonly<Record<string, string>> = {}): Place {
  const home = emptyHome();
  const cwd = join(home, "repo");
  mkdirSync(cwd);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd,
      env: { ...processEnv, HOME: home },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("init", "-q", "-b", "main");
  for (const [name, text] of Object.entries({ "log.json": sampleLogs.unverified, ...files }))
    writeFileSync(join(cwd, name), text);
  git("add", ".");
  git("commit", "-q", "-m", "first");
  return { cwd, home, git };
}

async function check({ cwd, home }: Place, ...more: readonly string[]): Promise<Checked> {
  return JSON.parse((await phasekitHere(["check", "log.json", "--json", ...more], { cwd, home })).out) as Checked;
}

const data = (config: object): string => JSON.stringify(config);
const LOOSE = data({ check: { without: ["verified", "no-loop"] } });

describe("the config of a check", () => {
  it("check names the config, its hash and its change since the base commit", async () => {
    const place = repository({ "phasekit.config.json": LOOSE });
    const same = await check(place);
    expect(same).toMatchObject({ failed: [], config: { change: "same", heldBack: false, base: { name: "main" } } });
    expect(same.config.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(same.config.base?.commit).toBe(place.git("rev-parse", "HEAD"));
    const { out } = await phasekitHere(["check", "log.json"], { ...place, env: { COLUMNS: "200" } });
    expect(out).toMatch(
      /^ {2}config: phasekit\.config\.json, sha256 [0-9a-f]{12}, unchanged since main [0-9a-f]{12}$/m,
    );
  });

  it.each([
    ["switches a gate off", {}, { check: { without: ["no-loop"] } }],
    ["raises a limit", { check: { maxTurns: 1 } }, { check: { maxTurns: 1000 } }],
    ["drops a limit", { check: { maxTurns: 1 } }, {}],
    ["chooses weaker policies", {}, { policy: "none" }],
  ] as const)("a change that %s cannot loosen the check", async (_what, before, after) => {
    const place = repository({ "log.json": sampleLogs.loop, "phasekit.config.json": data(before) });
    const first = await check(place);
    expect(first.failed).toContain("no-loop");
    writeFileSync(join(place.cwd, "phasekit.config.json"), data(after));
    const second = await check(place);
    expect(second.failed).toEqual(first.failed);
    expect(second.config).toMatchObject({ change: "changed", heldBack: true, approved: false });
    // It would have been looser.
    expect((await check(place, "--trust-config")).failed.length).toBeLessThan(first.failed.length);
  });

  it("a commit on a branch, a new, nearer or removed file cannot loosen the check", async () => {
    const place = repository({ "phasekit.config.yaml": "check:\n  maxTurns: 1\n" });
    const wanted = (await check(place)).failed;
    expect(wanted).toEqual(["verified", "max-turns"]);
    place.git("checkout", "-q", "-b", "agent");
    writeFileSync(join(place.cwd, "phasekit.config.json"), LOOSE);
    expect(await check(place)).toMatchObject({ failed: wanted, config: { change: "new" } });
    place.git("add", ".");
    place.git("commit", "-q", "-m", "loosen");
    expect(await check(place)).toMatchObject({ failed: wanted, config: { change: "new" } });
    mkdirSync(join(place.cwd, "deep/.git"), { recursive: true });
    writeFileSync(join(place.cwd, "deep/log.json"), sampleLogs.unverified);
    writeFileSync(join(place.cwd, "deep/phasekit.config.json"), LOOSE);
    expect((await check({ ...place, cwd: join(place.cwd, "deep") })).failed).toEqual(wanted);
    rmSync(join(place.cwd, "phasekit.config.json"));
    rmSync(join(place.cwd, "phasekit.config.yaml"));
    expect(await check(place)).toMatchObject({ failed: wanted, config: { path: null, change: "removed" } });
    // On its own branch the change is the base: --base says what to compare with.
    expect(await check(place, "--base", "main")).toMatchObject({ failed: wanted });
    expect((await check(place, "--base", "agent")).config.change).toBe("removed");
  });

  it("any config can tighten the check, and the user can loosen it", async () => {
    const place = repository({ "phasekit.config.json": "{}" });
    writeFileSync(join(place.cwd, "phasekit.config.json"), data({ check: { maxTurns: 1 } }));
    expect((await check(place)).failed).toContain("max-turns");
    writeFileSync(join(place.cwd, "phasekit.config.json"), LOOSE);
    expect((await check(place)).failed).toEqual(["verified"]);
    expect((await check(place, "--trust-config")).failed).toEqual([]);
    await phasekitHere(["trust"], place);
    expect(await check(place)).toMatchObject({ failed: [], config: { approved: true, change: "changed" } });
  });

  it("outside of a repository the change is unknown, and a config can only tighten", async () => {
    const home = emptyHome();
    writeFileSync(join(home, "log.json"), sampleLogs.unverified);
    writeFileSync(join(home, "phasekit.config.json"), LOOSE);
    expect(await check({ cwd: home, home, git: String })).toMatchObject({
      failed: ["verified"],
      config: { change: "unknown", base: null, heldBack: true },
    });
  });

  it("check fails if an approved or committed code config is different or missing", async () => {
    const code = "export default { check: { maxTurns: 1 } };\n";
    const place = repository({ "phasekit.config.mjs": code });
    expect((await check(place)).gates).toContainEqual(expect.objectContaining({ gate: "config", verdict: "UNKNOWN" }));
    await phasekitHere(["trust"], place);
    expect((await check(place)).failed).toEqual(["verified", "max-turns"]);
    writeFileSync(join(place.cwd, "phasekit.config.mjs"), `${code}\n`);
    expect((await check(place)).failed).toEqual(["verified", "config"]);
    rmSync(join(place.cwd, "phasekit.config.mjs"));
    expect((await check(place)).failed).toEqual(["verified", "config"]);
    rmSync(join(place.cwd, ".git"), { recursive: true });
    expect((await check(place)).failed).toEqual(["verified", "config"]);
    expect((await check(place, "--waive", "config", "--reason", "moved")).failed).toEqual(["verified"]);
  });

  it("check rejects a base that does not exist or looks like an option", async () => {
    const place = repository();
    for (const base of ["nowhere", "--output=x"])
      expect((await phasekitHere(["check", "log.json", `--base=${base}`], place)).code).toBe(2);
  });
});
