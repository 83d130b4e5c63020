import type { Mode } from "@phasekit/core";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type AgentName, type Capability, hookAgents } from "@phasekit/hooks";
import type { ByteText } from "./byte-text.ts";
import { readForEdit } from "./edit-files.ts";
import { goesToPort, type Handler, handlersIn, programOf, runsWhat } from "./hook-entries.ts";
import { type InstallContext, installContext } from "./install-context.ts";
import { installScopes, isInProcess } from "./install-target.ts";
import { parseJsonBytes } from "./json-text.ts";
import { numberIn, toObject } from "@phasekit/core/adapter";
import { parseObject } from "../client/parse-object.ts";
import { askControl } from "../client/ask-control.ts";
import { exchange, NoServer } from "../client/exchange.ts";
import { readCodexHooks } from "./codex-trust.ts";
import { modeFor } from "../server/hook-config.ts";
import { lockHolder } from "../server/server-lock.ts";
import { hookPaths, type HookPaths } from "../client/hook-paths.ts";
import { serverProblem } from "../client/server-problem.ts";
import { readSessionStatus } from "../client/user-requests.ts";
import { standaloneFile } from "#standalone-file";

/** One thing that was looked at. */
interface Finding {
  readonly level: "ok" | "warning" | "error";
  readonly text: string;
  /** The next step, where there is one. */
  readonly fix?: string;
}

/** Findings about the installation in one agent. */
export interface Diagnosis {
  readonly agent: AgentName;
  readonly isInstalled: boolean;
  readonly findings: readonly Finding[];
  /** Capabilities per event. */
  readonly capabilities: Readonly<Record<string, readonly Capability[]>>;
}

export interface DiagnoseOptions {
  readonly home?: string;
  readonly cwd?: string;
  readonly root?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The mode that the project's approved config sets. */
  readonly configured?: Mode;
}

/** Reads the installed files again, checks what is trusted, and sends a canned event through the hook command. */
export async function diagnose(agent: AgentName, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const { home = homedir(), cwd = process.cwd(), env = process.env, configured } = options;
  const root = options.root ?? env["PHASEKIT_HOME"] ?? join(home, ".phasekit");
  const paths = hookPaths(root);
  const places = installScopes(agent).flatMap((scope) => {
    const place = installContext(agent, { scope, home, cwd, root: resolve(root) }, quietRead);
    return isInstalledIn(place) ? [place] : [];
  });
  const { events: capabilities } = hookAgents[agent];
  if (places.length === 0) {
    const fix = `phasekit init ${agent}`;
    return { agent, isInstalled: false, capabilities, findings: [{ level: "warning", text: "not installed", fix }] };
  }
  const findings: Finding[] = [];
  for (const place of places) findings.push(...lookAtFile(place));
  const set = { userConfig: paths.config, home, ...(configured !== undefined && { configured }) };
  findings.push({ level: "ok", text: `mode ${modeFor(agent, { cwd, ...set })} in ${cwd}` });
  findings.push(...(await lookAtTrust(agent, { home, cwd, env, path: places[0]?.target ?? "" })));
  findings.push(await replay(agent, paths, { places, home, env }));
  findings.push(await identify(paths));
  return { agent, isInstalled: true, capabilities, findings };
}

/** A file that cannot be read has no hooks of ours. */
function quietRead(path: string): ByteText | undefined {
  try {
    return readForEdit(path);
  } catch {
    return undefined;
  }
}

function ourHooks({ target, read, isOurs }: InstallContext): readonly Handler[] {
  try {
    return handlersIn(parseJsonBytes(read(target) ?? "")).filter(({ value }) => isOurs(value));
  } catch {
    return [];
  }
}

const moduleBytes = (agent: "opencode" | "pi"): ByteText => readFileSync(standaloneFile(`${agent}.mjs`), "latin1");

function isInstalledIn(place: InstallContext): boolean {
  const { agent, target, read, record } = place;
  if (!isInProcess(agent)) return ourHooks(place).length > 0;
  const current = read(target);
  return current !== undefined && (record !== undefined || current === moduleBytes(agent));
}

function lookAtFile(place: InstallContext): Finding[] {
  const { agent, scope, target: path, read } = place;
  const fix = `phasekit init ${agent} --scope ${scope}`;
  const problem = (text: string): Finding => ({ level: "error", text, fix });
  if (isInProcess(agent))
    return read(path) === moduleBytes(agent)
      ? [{ level: "ok", text: `${scope}: ${path}` }]
      : [problem(`${scope}: ${path} is of another version, and may not reach the local server`)];
  const hooks = ourHooks(place);
  if (hooks.some(({ value }) => goesToPort(value)))
    return [
      problem(`${scope}: ${path} has entries of an earlier version, which send events to a port that others can take`),
    ];
  const installed = [...new Set(hooks.map(({ event }) => event))];
  const missing = Object.keys(hookAgents[agent].events).filter((event) => !installed.includes(event));
  const programs = new Set(hooks.flatMap(({ value }) => programOf(value)?.node ?? []));
  return [
    missing.length === 0
      ? { level: "ok", text: `${scope}: ${path}, ${String(installed.length)} events` }
      : problem(`${scope}: ${path} has no entry for ${missing.join(", ")}`),
    ...[...programs].filter((node) => !existsSync(node)).map((node) => problem(`${node} is gone, so no hook runs`)),
  ];
}

async function lookAtTrust(
  agent: AgentName,
  {
    home,
    cwd,
    path,
    env,
  }: {
    readonly home: string;
    readonly cwd: string;
    readonly path: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): Promise<Finding[]> {
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  if (agent === "codex") {
    const asked = await readCodexHooks({ cwd, env: { ...env, HOME: home } });
    const ours = asked?.filter(({ key }) => key.startsWith(`${path}:`));
    // Without Codex to ask, its configuration shows what was trusted once.
    const trusted =
      ours?.filter(({ trustStatus }) => trustStatus === "trusted").length ??
      read(join(home, ".codex", "config.toml")).split(`[hooks.state."${path}:`).length - 1;
    const all = ours?.length ?? Object.keys(hookAgents.codex.events).length;
    if (trusted >= all) return [{ level: "ok", text: `Codex trusts all ${String(all)} hooks of ${path}` }];
    const text = `Codex trusts ${String(trusted)} of ${String(all)} hooks of ${path} and skips the others silently`;
    return [{ level: "warning", text, fix: "codex, then /hooks" }];
  }
  if (agent === "gemini-cli") {
    const folders = parseObject(read(join(home, ".gemini", "trustedFolders.json")));
    const isTrusted = Object.entries(folders).some(
      ([folder, how]) =>
        (how === "TRUST_FOLDER" && cwd === folder) || (how === "TRUST_PARENT" && cwd.startsWith(folder)),
    );
    return isTrusted
      ? [{ level: "ok", text: "Gemini CLI trusts this folder" }]
      : [
          {
            level: "warning",
            text: "Gemini CLI runs no hooks in a folder you have not trusted",
            fix: "gemini, then /permissions",
          },
        ];
  }
  if (agent === "copilot-cli" && path.startsWith(cwd))
    return [{ level: "warning", text: "Copilot CLI ignores hooks of a project", fix: "copilot --trust-folder" }];
  return [];
}

const POLL_MS = 100;
const MAX_POLLS = 100;

/**
 * The start of a session, as the agent sends it: no agent has this session, and its start alone leaves no run. Agents
 * that load a file of ours have no hook command of their own.
 */
function cannedStart(
  agent: AgentName,
  session: string,
): { readonly args: readonly string[]; readonly payload: object } {
  const start = { session_id: session, hook_event_name: "SessionStart", source: "startup" };
  switch (agent) {
    case "copilot-cli":
      return { args: [agent, "sessionStart"], payload: { sessionId: session, source: "new" } };
    case "cursor":
      return {
        args: [agent],
        payload: { conversation_id: session, hook_event_name: "sessionStart", cursor_version: "0" },
      };
    case "opencode":
    case "pi":
      return { args: ["claude-code"], payload: start };
    case "claude-code":
    case "codex":
    case "gemini-cli":
      return { args: [agent], payload: start };
  }
}

interface ReplayOptions {
  readonly places: readonly InstallContext[];
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The command line that the agent starts for the beginning of a session; undefined if it starts none. */
function installedLine(places: readonly InstallContext[]): string | undefined {
  const starts = places.flatMap(ourHooks).filter(({ event }) => event.toLowerCase() === "sessionstart");
  return starts.map(({ value }) => runsWhat(value)).find((line) => line?.startsWith("mcp_tool") === false);
}

/** Sends a canned event as the agent does, with the command line in its settings, and asks whether it arrived. */
async function replay(agent: AgentName, paths: HookPaths, { places, home, env }: ReplayOptions): Promise<Finding> {
  const { bin } = paths;
  const hook = join(bin, "hook.cjs");
  const missing = [hook, join(bin, "server.mjs")].find((file) => !existsSync(file));
  if (missing !== undefined) return { level: "error", text: `${missing} is missing`, fix: `phasekit init ${agent}` };
  const session = `phasekit-doctor-${String(process.pid)}-${agent}`;
  const { args, payload } = cannedStart(agent, session);
  const line = process.platform === "win32" ? undefined : installedLine(places);
  const command = line === undefined ? [process.execPath, hook, ...args] : ["/bin/sh", "-c", line];
  // This start may succeed where an earlier one failed.
  rmSync(paths.problem, { force: true });
  const startedAt = performance.now();
  const { code, output } = await runHook(command, JSON.stringify(payload), { ...env, HOME: home });
  const took = `${(performance.now() - startedAt).toFixed(0)} ms`;
  if (code !== 0 || output !== "")
    return {
      level: "error",
      text: `the hook command exits with ${String(code)} and prints ${JSON.stringify(output.slice(0, 200))}`,
      fix: `phasekit init ${agent}`,
    };
  if (await hasArrived(paths, session))
    return {
      level: "ok",
      text: [
        `a canned event reached the local server`,
        ...(line === undefined ? [] : ["by its own command"]),
        took,
      ].join(", "),
    };
  return {
    level: "error",
    text: `a canned event did not reach the local server: ${serverProblem(paths) ?? lastLine(paths.log)}`,
    fix: `phasekit init ${agent}`,
  };
}

/** A server that was just started reads the event from the spool. */
async function hasArrived(paths: HookPaths, session: string): Promise<boolean> {
  const { root } = paths;
  // A server that cannot run says so.
  for (let polls = 0; polls < MAX_POLLS && serverProblem(paths) === undefined; polls += 1) {
    if ((await readSessionStatus({ root, session })) !== undefined) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** The last line of the server's log. */
function lastLine(log: string): string {
  const found = existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").at(-1) : undefined;
  return found === undefined ? "it did not start" : found.slice(0, 200);
}

function runHook(
  [program = process.execPath, ...args]: readonly string[],
  input: string,
  env: ReplayOptions["env"],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString("utf8")));
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

/** Asks the server, and has it prove that it is ours: any program may listen. */
async function identify(paths: HookPaths): Promise<Finding> {
  const startedAt = performance.now();
  const reply = toObject(await askControl(paths, { op: "ping" }, { limitMs: 1000 }));
  const pid = numberIn(reply["pid"]);
  const holder = lockHolder(paths);
  const took = `${(performance.now() - startedAt).toFixed(1)} ms`;
  if (pid !== undefined && pid === holder) return { level: "ok", text: `the local server proved itself in ${took}` };
  const problem = serverProblem(paths);
  if (problem !== undefined)
    return { level: "error", text: problem, fix: "remove what is in the way, then: phasekit doctor" };
  if (await isTaken(paths))
    return {
      level: "error",
      text: `a program that is not our server answers on ${paths.control}`,
      fix: "end that program; `phasekit doctor` starts the server again",
    };
  return { level: "warning", text: "the local server does not run; the next event starts it" };
}

/** True if something answers without the proof. */
async function isTaken({ control }: HookPaths): Promise<boolean> {
  return await exchange({ head: { op: "ping" } }, { address: control, limitMs: 1000 }).then(
    () => true,
    (error: unknown) => error instanceof NoServer && !error.isAbsent,
  );
}
