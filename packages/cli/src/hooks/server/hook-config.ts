import type { Mode } from "@phasekit/core";
import { nameIn, toObject } from "@phasekit/core/adapter";
import type { AgentName } from "@phasekit/hooks";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { unsafeBecause } from "../../config/file-safety.ts";
import { isInside, searchedFolders } from "../../config/find-config.ts";
import { parseBoundedJson, readBounded } from "../../config/read-bounded.ts";

type Modes = Readonly<Partial<Record<AgentName, Mode>>>;

/** The configuration `init` writes: how strict Phasekit is per agent. */
export interface HookConfig {
  readonly modes: Modes;
  /** Modes of private installations, by the project's folder. */
  readonly projects: ReadonlyMap<string, Modes>;
  /** The Node.js that runs the hook command. */
  readonly node?: string;
  /** The module that loads approved configs of projects. */
  readonly configLoader?: string;
}

/** From the loosest to the strictest. */
const MODES: readonly string[] = ["observe", "nudge", "gate"] satisfies readonly Mode[];
const EMPTY: HookConfig = { modes: {}, projects: new Map() };
const MAX_BYTES = 256 * 1024;

/** Reads the configuration; what is missing, broken or too large counts as not set. */
export function readHookConfig(path: string): HookConfig {
  let value: unknown;
  try {
    value = parseBoundedJson(readBounded(path, { maxBytes: MAX_BYTES }).toString("utf8"));
  } catch {
    return EMPTY;
  }
  const { modes, projects, node: nodePath, configLoader: loaderPath } = toObject(value);
  const node = nameIn(nodePath);
  const configLoader = nameIn(loaderPath);
  return {
    modes: modesIn(modes),
    projects: new Map(
      Object.entries(toObject(projects)).map(([folder, project]) => [folder, modesIn(toObject(project)["modes"])]),
    ),
    ...(node !== undefined && { node }),
    ...(configLoader !== undefined && { configLoader }),
  };
}

function modesIn(modes: unknown): Modes {
  return Object.fromEntries(
    Object.entries(toObject(modes)).filter(([, mode]) => typeof mode === "string" && MODES.includes(mode)),
  );
}

/** Options for `modeFor()`. */
export interface ModeOptions {
  readonly cwd?: string;
  /** The user's own configuration. */
  readonly userConfig: string;
  /** The user's home folder; files above it do not count. @default the one of this process */
  readonly home?: string;
  /** The mode of the project's approved config. */
  readonly configured?: Mode;
}

/**
 * Returns how strict a session is. The user's setting for the project counts first, then the project's approved config,
 * then the user's setting for all projects; else observe. The project's shared setting, which the user did not approve,
 * can only make the last two stricter.
 */
export function modeFor(agent: AgentName, { cwd, userConfig, home = homedir(), configured }: ModeOptions): Mode {
  const { projects, modes } = readHookConfig(userConfig);
  const decided = (cwd === undefined ? undefined : projectMode(projects, { cwd, agent })) ?? configured;
  if (decided !== undefined) return decided;
  const shared = cwd === undefined ? undefined : sharedMode(agent, { cwd, userConfig, home });
  return stricter(modes[agent] ?? "observe", shared);
}

/** The setting for the nearest folder. */
function projectMode(
  projects: HookConfig["projects"],
  { cwd, agent }: { readonly cwd: string; readonly agent: AgentName },
): Mode | undefined {
  return [...projects]
    .filter(([folder, modes]) => modes[agent] !== undefined && isInside(cwd, folder))
    .sort(([a], [b]) => b.length - a.length)[0]?.[1][agent];
}

/** The setting that a repository shares: a file below the user's home or inside the repository that only they wrote. */
function sharedMode(
  agent: AgentName,
  { cwd, userConfig, home }: Required<Pick<ModeOptions, "cwd" | "userConfig" | "home">>,
): Mode | undefined {
  for (const folder of searchedFolders(cwd, home)) {
    const path = join(folder, ".phasekit", "hooks.json");
    if (path === resolve(userConfig) || !existsSync(path) || unsafeBecause(path) !== undefined) continue;
    const mode = readHookConfig(path).modes[agent];
    if (mode !== undefined) return mode;
  }
  return undefined;
}

function stricter(mode: Mode, other: Mode | undefined): Mode {
  return other !== undefined && MODES.indexOf(other) > MODES.indexOf(mode) ? other : mode;
}
