import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** A tool whose logs are looked for without being asked. */
export interface LogPlace {
  /** The name of the tool's format, and of the option `--tool`. */
  readonly tool: string;
  readonly title: string;
  /** Folders that may hold logs, in the order in which they are tried. */
  readonly folders: readonly string[];
  /** Whether a path below the folder, with forward slashes, is a log of its own. */
  readonly isLog: (path: string) => boolean;
  /** The variable that names other folders. */
  readonly variable: string;
  /** The project a log is about, from its path below the folder. */
  readonly projectOf: (path: string) => string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the tools we know keep their logs on this machine. Nothing is ever written there. */
export function logPlaces(env: Environment, home: string = env["HOME"] ?? homedir()): readonly LogPlace[] {
  const named = (variable: string): readonly string[] | undefined => env[variable]?.split(delimiter).filter((path) => path !== "");
  const own = (variable: string): string | undefined => (env[variable] === "" ? undefined : env[variable]);
  const claude = own("CLAUDE_CONFIG_DIR")?.split(",").map((path) => path.trim()) ?? [join(home, ".claude"), join(home, ".config", "claude")];
  const places: readonly LogPlace[] = [
    {
      tool: "claude-code",
      title: "Claude Code",
      variable: "PHASEKIT_CLAUDE_CODE_LOGS",
      folders: claude.map((folder) => join(folder, "projects")),
      // Logs of sub-agents belong to the session that started them.
      isLog: (path) => /^[^/]+\/[^/]+\.jsonl$/.test(path) && !/\/agent-[^/]*$/.test(path),
      projectOf: (path) => path.split("/")[0]?.replace(/^-/, "").split("-").slice(-2).join("-"),
    },
    {
      tool: "codex",
      title: "Codex",
      variable: "PHASEKIT_CODEX_LOGS",
      folders: [join(own("CODEX_HOME") ?? join(home, ".codex"), "sessions")],
      isLog: (path) => /(?:^|\/)rollout-[^/]*\.jsonl$/.test(path),
      projectOf: () => undefined,
    },
    {
      tool: "gemini-cli",
      title: "Gemini CLI",
      variable: "PHASEKIT_GEMINI_CLI_LOGS",
      folders: [join(own("GEMINI_CLI_HOME") ?? home, ".gemini", "tmp")],
      isLog: (path) => /^[^/]+\/chats\/session-[^/]*\.jsonl?$/.test(path),
      projectOf: (path) => (/^[0-9a-f]{64}\//.test(path) ? undefined : path.split("/")[0]),
    },
    {
      tool: "opencode",
      title: "opencode",
      variable: "PHASEKIT_OPENCODE_LOGS",
      folders: [join(own("XDG_DATA_HOME") ?? join(home, ".local", "share"), "opencode", "storage", "session")],
      isLog: (path) => /^[^/]+\/ses_[^/]*\.json$/.test(path),
      projectOf: () => undefined,
    },
  ];
  return places.map((place) => ({ ...place, folders: named(place.variable) ?? place.folders }));
}
