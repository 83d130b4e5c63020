import type { Mode } from "@phasekit/core";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentName } from "@phasekit/hooks";
import { nameIn, numberIn, toObject } from "@phasekit/core/kit";

type Modes = Readonly<Partial<Record<AgentName, Mode>>>;

/** The configuration `init` writes: how strict Phasekit is per agent, and where the local server listens. */
export interface HookConfig {
  readonly modes: Modes;
  /** Modes of private installations, by the project's folder. */
  readonly projects: Readonly<Record<string, Modes>>;
  /** The Node.js that runs the hook command. */
  readonly node?: string;
  /** The module that loads approved configs of projects. */
  readonly configLoader?: string;
  /** For agents that call hooks over HTTP. */
  readonly http?: { readonly port: number; readonly token: string };
}

const MODES: readonly string[] = ["observe", "nudge", "gate"] satisfies readonly Mode[];
const EMPTY: HookConfig = { modes: {}, projects: {} };

/** Reads the configuration; what is missing or broken counts as not set, and the mode is then `observe`. */
function parseHookConfig(text: string): HookConfig {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return EMPTY;
  }
  const { modes, projects, http } = toObject(value);
  const node = nameIn(toObject(value)["node"]);
  const configLoader = nameIn(toObject(value)["configLoader"]);
  const port = numberIn(toObject(http)["port"]);
  const token = nameIn(toObject(http)["token"]);
  return {
    modes: modesIn(modes),
    projects: Object.fromEntries(
      Object.entries(toObject(projects)).map(([folder, project]) => [folder, modesIn(toObject(project)["modes"])]),
    ),
    ...(node !== undefined && { node }),
    ...(configLoader !== undefined && { configLoader }),
    ...(port !== undefined && token !== undefined && { http: { port, token } }),
  };
}

function modesIn(modes: unknown): Modes {
  return Object.fromEntries(
    Object.entries(toObject(modes)).filter(([, mode]) => typeof mode === "string" && MODES.includes(mode)),
  );
}

/** Reads a file of configuration; a missing one is empty. */
export function readHookConfig(path: string): HookConfig {
  try {
    return parseHookConfig(readFileSync(path, "utf8"));
  } catch {
    return EMPTY;
  }
}

/**
 * How strict a session is. The first that says something counts: the user's private setting for the project, the
 * project's approved config, the project's shared setting, the user's setting; else observe.
 */
export function modeFor(
  agent: AgentName,
  { cwd, userConfig, configured }: { readonly cwd?: string; readonly userConfig: string; readonly configured?: Mode },
): Mode {
  const folders = cwd === undefined ? [] : foldersUp(cwd);
  const { projects, modes } = readHookConfig(userConfig);
  for (const folder of folders) {
    const mode = projects[folder]?.[agent];
    if (mode !== undefined) return mode;
  }
  if (configured !== undefined) return configured;
  for (const folder of folders) {
    const path = join(folder, ".phasekit", "hooks.json");
    if (path === userConfig || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) continue;
    const mode = readHookConfig(path).modes[agent];
    if (mode !== undefined) return mode;
  }
  return modes[agent] ?? "observe";
}

const MAX_DEPTH = 32;

/** The folder and the folders above it. */
export function foldersUp(cwd: string): readonly string[] {
  const folders = [cwd];
  for (let parent = dirname(cwd); parent !== folders.at(-1) && folders.length < MAX_DEPTH; parent = dirname(parent))
    folders.push(parent);
  return folders;
}
