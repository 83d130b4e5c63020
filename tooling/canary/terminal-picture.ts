import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { canaryAgents, type Scene } from "./canary-agents.ts";
import { startModelServer, type Step } from "./model-server.ts";
import { installHooks, phasekitCommand, removeHooks } from "./run-phasekit.ts";
import { drawTerminal } from "./draw-terminal.ts";
import { EDIT, resetProject, TEST } from "./stage.ts";

/*
 * Captures a real terminal session and draws it, for the README: with the hooks of `phasekit init claude-code`, Claude
 * Code runs against a scripted model, `phasekit tail` shows the nudge and the veto, and `phasekit why` the whole run.
 *
 *   node tooling/canary/terminal-picture.ts      needs `script` of util-linux; PHASEKIT_CANARY as for `pnpm canary`
 */
const COLUMNS = 100;
const FAILS = "npm run tets";
const script: readonly Step[] = [
  ...Array.from({ length: 3 }, (): Step => ({ shell: FAILS })),
  { shell: EDIT },
  { text: "I fixed the sum and all tests pass." },
  { shell: TEST },
  { text: "I fixed the sum, and the tests pass." },
];
/** Lines the person types, each after the text that asks for it. */
const typed: readonly (readonly [prompt: RegExp, line: string])[] = [
  [/\$ $/, 'claude -p "Fix the sum." --dangerously-skip-permissions'],
  [/\$ $/, "phasekit tail --no-follow"],
  [/\$ $/, "phasekit why"],
  [/\$ $/, "exit"],
];

const agent = canaryAgents.find(({ name }) => name === "claude-code");
if (agent === undefined) throw new Error("Claude Code is not among the agents.");
const folder = mkdtempSync(join(tmpdir(), "pk-picture-"));
const server = await startModelServer({ protocol: agent.protocol, shell: agent.shell });
const scene: Scene = {
  home: join(folder, "home"),
  project: join(folder, "home", "app"),
  port: server.port,
  agentFolder: join(
    process.env["PHASEKIT_CANARY"] ?? join(tmpdir(), "phasekit-canary-agents"),
    `${agent.name}-${agent.version}`,
  ),
};
const programs = join(folder, "bin");
mkdirSync(scene.project, { recursive: true });
mkdirSync(programs);
resetProject(scene);
writeFileSync(join(programs, "phasekit"), `#!/bin/sh\nexec ${phasekitCommand} "$@"\n`, { mode: 0o755 });
await installHooks(agent.name, scene, { mode: "gate" });
server.play(script);
const captured = await capture();
await removeHooks(agent.name, scene);
await server.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
const out = join(import.meta.dirname, "../../docs/images/live-terminal.svg");
// Only the folders are replaced: those of this machine mean nothing to a reader.
const neutral = captured
  .replaceAll(scene.home, "/home/you")
  .replaceAll(dirname(process.execPath), "/usr/bin")
  .replaceAll(join(import.meta.dirname, "../../packages/cli"), "/usr/lib/node_modules/phasekit");
writeFileSync(out, drawTerminal(neutral, { columns: COLUMNS }));
console.log(`Wrote ${out}`);

function capture(): Promise<string> {
  if (agent === undefined) return Promise.resolve("");
  const path = [programs, join(scene.agentFolder, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"];
  const shell = `stty cols ${String(COLUMNS)} rows 50; exec bash --norc --noprofile --noediting`;
  const child = spawn("script", ["-qfec", shell, "/dev/null"], {
    cwd: scene.project,
    env: { PATH: path.join(delimiter), HOME: scene.home, TERM: "xterm-256color", PS1: "$ ", ...agent.env(scene) },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  let answered = 0;
  const left = [...typed];
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill(), 180_000);
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString("utf8");
      const [next] = left;
      if (next === undefined || !next[0].test(output.slice(answered))) return;
      answered = output.length;
      left.shift();
      child.stdin.write(`${next[1]}\n`);
    });
    child.on("close", () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
