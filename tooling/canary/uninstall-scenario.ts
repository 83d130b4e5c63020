import { readFileSync, rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import type { CanaryAgent, Scene } from "./canary-agents.ts";
import { driveAgent } from "./drive-agent.ts";
import { installHooks, removeHooks } from "./run-phasekit.ts";
import { ended, filesIn, finishScript, said, type Stage } from "./stage.ts";

/** Taking the hooks out leaves every file as it was. */
export async function remove(agent: CanaryAgent, { scene, server, checks }: Stage): Promise<void> {
  const { home } = scene;
  const root = join(home, ".phasekit");
  await removeHooks(agent.name, scene);
  rmSync(join(root, "runs"), { recursive: true, force: true });
  // The cache of the `phasekit` command, which was called above; hooks write nothing there.
  rmSync(join(home, ".cache", "phasekit"), { recursive: true, force: true });
  const traces = filesIn(home)
    .filter((path) => /phasekit/i.test(relative(home, path)) || isOurs(path))
    .map((path) => relative(home, path));
  checks.push({
    what: "uninstall: no trace in the home folder but the runs",
    ok: traces.length === 0,
    seen: traces.join(", "),
  });
  const before = contentsOf(scene);
  await installHooks(agent.name, scene, { mode: "gate" });
  const installed = contentsOf(scene);
  await removeHooks(agent.name, scene);
  const after = contentsOf(scene);
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  checks.push({
    what: "uninstall: every file of the home folder and the project is what it was, byte for byte",
    ok: changed.length === 0 && [...installed].some(([path, content]) => before.get(path) !== content),
    seen: changed.join(", "),
  });
  const run = await driveAgent(agent, { scene, server, script: finishScript.slice(0, 2) });
  ended(run, checks, "uninstall");
  checks.push({ what: "uninstall: no hook runs any more", ok: filesIn(root).length === 0 && !run.requests.some(said) });
}

/** The contents of all files of the home folder and the project, but for Phasekit's own; large ones by size. */
function contentsOf({ home, project }: Scene): ReadonlyMap<string, string> {
  const paths = [...filesIn(home), ...filesIn(project)].filter((path) => !/\/\.(?:cache\/)?phasekit\//.test(path));
  return new Map(
    paths.map((path) => {
      const { size } = statSync(path);
      return [path, size > 1_000_000 ? String(size) : readFileSync(path, "latin1")];
    }),
  );
}

/** Agents keep transcripts that quote hooks; settings that still name ours are a trace. */
function isOurs(path: string): boolean {
  if (!/(?:settings|hooks|config)[^/]*\.(?:json|toml)$/.test(path) || statSync(path).size > 1_000_000) return false;
  return readFileSync(path, "utf8").includes(".phasekit/bin");
}
