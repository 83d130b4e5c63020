import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exitInterrupted, runWithProgress } from "../run-with-progress.ts";
import { firstPages, followPage } from "./first-pages.ts";
import { checkAlone, checkPublished, prepareRelease, publish, type Release, releasedVersions } from "./publish.ts";
import { publishedPackages } from "../workspace.ts";
import { startRegistry } from "./registry.ts";
import { validatePlugin } from "./validate-plugin.ts";

/*
 * Rehearses a release against a registry on this machine: clones what is committed, applies the changesets, builds,
 * publishes (the registry refuses after some packages, then publishes again), looks at every package in the registry,
 * and follows the first pages of the docs in empty folders with what was published.
 */
const USAGE = `Usage: pnpm rehearsal [--keep]

Publishes every package to a registry on this machine, as the release workflow does, and follows the first pages
of the docs with them. Installs Verdaccio and what the pages name from npm.

  --keep  Keep the scratch folder
  --help  Print this text`;
/** The publish that fails halfway ends after this number of packages. */
const ACCEPTED_FIRST = 9;

const { values: options } = parseArgs({
  options: { keep: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
});
const scratch = join(tmpdir(), `phasekit-rehearsal-${String(process.pid)}`);
const programs = process.env["PHASEKIT_RUNTIMES"] ?? join(tmpdir(), "phasekit-runtimes");
let failed = 0;

if (options.help) console.log(USAGE);
else {
  const total = 6 + firstPages.length;
  const isInterrupted = await runWithProgress({ total, unit: "steps" }, async (progress, signal) => {
    mkdirSync(scratch, { recursive: true });
    progress.now("start the registry");
    const registry = await startRegistry({ programs, folder: join(scratch, "registry"), signal });
    const release: Release = { folder: join(scratch, "clone"), registry, signal };
    const say = (name: string, problems: readonly string[], figure = ""): void => {
      failed += problems.length > 0 ? 1 : 0;
      progress.print(`${name.padEnd(44)} ${problems.length === 0 ? "ok" : "FAIL"} ${figure}`.trimEnd());
      for (const problem of problems) progress.print(`  ${problem}`);
      progress.count();
    };
    try {
      progress.now("clone, version, build");
      await prepareRelease(release);
      const versions = releasedVersions(release.folder);
      say("clone, version, build", sameVersion(versions), `${String(versions.size)} packages`);
      progress.now("plugin and extension, as their agents see them");
      const home = join(scratch, "homes/validators");
      say("plugin and extension", await validatePlugin({ folder: release.folder, programs, home, signal }));
      progress.now("publish, refused halfway");
      registry.acceptOnly(ACCEPTED_FIRST);
      const first = await publish(release);
      say(
        "publish, refused halfway",
        first === undefined ? ["it did not fail"] : [],
        `${String(registry.published.length)} published`,
      );
      progress.now("publish again");
      registry.acceptOnly();
      const again = await publish(release);
      const twice = registry.published.filter((name, index, all) => all.indexOf(name) !== index);
      const lost = again === undefined ? [] : [again];
      say(
        "publish again",
        [...lost, ...twice.map((name) => `${name} was published twice`)],
        `${String(registry.published.length)} published`,
      );
      const wrong = [];
      for (const [name, version] of versions)
        wrong.push(...(await checkPublished(name, version, release)).map((problem) => `${name}: ${problem}`));
      say("packages in the registry", wrong);
      progress.now("install each package alone");
      const brought = [];
      for (const ours of publishedPackages())
        brought.push(
          ...(await checkAlone(ours, versions.get(ours.name) ?? "", release)).map((each) => `${ours.name} ${each}`),
        );
      say("each package alone brings what it needs", brought);
      for (const page of firstPages) {
        progress.now(`docs/start/${page.name}.md`);
        const started = performance.now();
        const place = { folder: join(scratch, "pages", page.name), home: join(scratch, "homes", page.name) };
        const problem = await followPage(page, { ...place, registry, signal }).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        signal.throwIfAborted();
        const seconds = `${((performance.now() - started) / 1000).toFixed(0)} s`;
        say(`docs/start/${page.name}.md`, problem === undefined ? [] : [problem], seconds);
      }
    } finally {
      registry.stop();
      if (options.keep) progress.print(`kept: ${scratch}`);
      else rmSync(scratch, { recursive: true, force: true });
    }
  });
  if (failed > 0) process.exitCode = 1;
  if (isInterrupted) exitInterrupted();
}

/** All packages are released with one version. */
function sameVersion(versions: ReadonlyMap<string, string>): readonly string[] {
  const different = new Set(versions.values());
  return different.size === 1
    ? []
    : [`the packages have ${String(different.size)} versions: ${[...different].join(", ")}`];
}
