// Imported by the hook command, which starts for every event: no imports but these.
import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Where Phasekit keeps what live sessions need. */
export interface HookPaths {
  /** `~/.phasekit`, or `PHASEKIT_HOME`. */
  readonly root: string;
  /** Modes, and what `init` has to remember. */
  readonly config: string;
  /** The hook command and the server, as single files. */
  readonly bin: string;
  /** Records of what each installation changed, for `--uninstall`. */
  readonly installs: string;
  readonly runs: string;
  /** Takes events of hooks, and nothing else. */
  readonly socket: string;
  /** Takes requests of the user's commands, and no events. */
  readonly control: string;
  /** Any user can listen at these addresses, so the listener has to prove that it knows `key`. True on Windows. */
  readonly mustProve: boolean;
  /** The secret that the server proves itself with. */
  readonly key: string;
  /** The process that is the server. */
  readonly lock: string;
  /** Events that found no server. */
  readonly spool: string;
  /** The ids of the last events that are stored. */
  readonly taken: string;
  readonly log: string;
  /** Why the server cannot run; there is no such file while it can. */
  readonly problem: string;
}

const MAX_SOCKET_PATH = 100;

/** The paths below a root folder. */
export function hookPaths(root: string = defaultRoot(process.env)): HookPaths {
  const isWindows = process.platform === "win32";
  const address = (name: string): string => {
    if (isWindows) return `\\\\.\\pipe\\phasekit-${shortHash(root)}-${name}`;
    const inside = join(root, `${name}.sock`);
    return inside.length <= MAX_SOCKET_PATH ? inside : join(shortFolder(), `${shortHash(root)}-${name}.sock`);
  };
  return {
    root,
    config: join(root, "hooks.json"),
    bin: join(root, "bin"),
    installs: join(root, "installs"),
    runs: join(root, "runs"),
    socket: address("hooks"),
    control: address("control"),
    mustProve: isWindows,
    key: join(root, "hooks.key"),
    lock: join(root, "hooks.lock"),
    spool: join(root, "spool.jsonl"),
    taken: join(root, "taken.log"),
    log: join(root, "hooks.log"),
    problem: join(root, "hooks.problem"),
  };
}

/** `PHASEKIT_HOME`, or `.phasekit` in the user's home. */
export function defaultRoot(env: Readonly<Record<string, string | undefined>>): string {
  return env["PHASEKIT_HOME"] ?? join(homedir(), ".phasekit");
}

/** The root of the folder `<root>/bin` that a file was installed to; the default one for the folder of a plugin. */
export function installedRoot(bin: string): string {
  const root = dirname(bin);
  return existsSync(join(root, "installs")) ? root : defaultRoot(process.env);
}

/**
 * A folder for sockets whose own folder has too long a name. Other users write to the temporary folder too: a
 * folder they can open is not used, so that they cannot answer our hooks.
 */
function shortFolder(): string {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `phasekit-${String(uid)}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid: owner, mode } = lstatSync(folder);
    if (owner === uid && (mode & 0o077) === 0) return folder;
  } catch {
    // As if it were not ours.
  }
  return join(homedir(), ".phasekit");
}

/** FNV-1a over two seeds: loading `node:crypto` would cost the hook command several milliseconds. */
function shortHash(text: string): string {
  return [0x811c9dc5, 0x01000193]
    .map((seed) => {
      let hash = seed;
      for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
      return (hash >>> 0).toString(16).padStart(8, "0");
    })
    .join("");
}
