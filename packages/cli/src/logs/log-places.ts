import { ownValue } from "@phasekit/core/adapter";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** A tool whose logs are searched by default. */
export interface LogPlace {
  /** The format name, also the value of `--tool`. */
  readonly tool: string;
  readonly title: string;
  /** Folders with logs, in search order. */
  readonly folders: readonly string[];
  /** Databases with many sessions each. */
  readonly stores?: readonly string[];
  /** True if a path below the folder, with forward slashes, is a log. */
  readonly isLog: (path: string) => boolean;
  /** The environment variable that overrides the folders. */
  readonly variable: string;
  /** Returns the project of a log, from its path below the folder. */
  readonly projectOf: (path: string) => string | undefined;
  /** Returns the session of a log whose folder is named after it. @default the name of the file tells it */
  readonly idOf?: (path: string) => string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the log folders of all known tools. They are only read. */
export function logPlaces(env: Environment, home: string = env["HOME"] ?? homedir()): readonly LogPlace[] {
  const named = (variable: string): readonly string[] | undefined =>
    ownValue(env, variable)
      ?.split(delimiter)
      .filter((path) => path !== "");
  const own = (variable: string): string | undefined => ownValue(env, variable) || undefined;
  const claude = own("CLAUDE_CONFIG_DIR")
    ?.split(",")
    .map((path) => path.trim()) ?? [join(home, ".claude"), join(home, ".config", "claude")];
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
      folders: ["sessions", "archived_sessions"].map((name) => join(own("CODEX_HOME") ?? join(home, ".codex"), name)),
      // Codex may compress old rollouts.
      isLog: (path) => /(?:^|\/)rollout-[^/]*\.jsonl(?:\.zst)?$/.test(path),
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
    opencodePlace({ home, own, named }),
    {
      tool: "copilot-cli",
      title: "GitHub Copilot CLI",
      variable: "PHASEKIT_COPILOT_CLI_LOGS",
      folders: [join(own("COPILOT_HOME") ?? join(home, ".copilot"), "session-state")],
      isLog: (path) => /^[^/]+\/events\.jsonl$|^[^/]+\.jsonl$/.test(path),
      projectOf: () => undefined,
      idOf: (path) => path.split("/").at(-2),
    },
    {
      tool: "pi",
      title: "pi",
      variable: "PHASEKIT_PI_LOGS",
      folders: [
        own("PI_CODING_AGENT_SESSION_DIR") ??
          join(own("PI_CODING_AGENT_DIR") ?? join(home, ".pi", "agent"), "sessions"),
      ],
      isLog: (path) => /^(?:[^/]+\/)?[^/]+\.jsonl$/.test(path),
      projectOf: (path) =>
        path
          .split("/")
          .slice(0, -1)[0]
          ?.replace(/^-+|-+$/g, "")
          .split("-")
          .slice(-2)
          .join("-"),
    },
    {
      tool: "cline",
      title: "Cline",
      variable: "PHASEKIT_CLINE_LOGS",
      folders: clineFolders(home, own),
      isLog: (path) => /^[^/]+\/ui_messages\.json$/.test(path),
      projectOf: () => undefined,
      idOf: (path) => path.split("/").at(-2),
    },
  ];
  return places.map((place) => ({ ...place, folders: named(place.variable) ?? place.folders }));
}

/** A home folder and its environment. */
interface Variables {
  readonly home: string;
  readonly own: (variable: string) => string | undefined;
  /** Folders, separated as in `PATH`. */
  readonly named: (variable: string) => readonly string[] | undefined;
}

function opencodePlace({ home, own, named }: Variables): LogPlace {
  const opencodeData = join(own("XDG_DATA_HOME") ?? join(home, ".local", "share"), "opencode");
  const opencodeStore =
    named("PHASEKIT_OPENCODE_LOGS") === undefined ? storeNamed(own("OPENCODE_DB"), opencodeData) : undefined;
  return {
    tool: "opencode",
    title: "opencode",
    variable: "PHASEKIT_OPENCODE_LOGS",
    folders: [join(opencodeData, "storage", "session")],
    stores: [
      ...databasesIn(named("PHASEKIT_OPENCODE_LOGS") ?? [opencodeData]),
      ...(opencodeStore === undefined ? [] : [opencodeStore]),
    ],
    isLog: (path) => /^[^/]+\/ses_[^/]*\.json$/.test(path),
    projectOf: () => undefined,
  };
}

/** opencode keeps its sessions in `opencode.db`, or `opencode-<channel>.db` for other release channels. */
function databasesIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => /^opencode(?:-[^/]+)?\.db$/.test(name))
      .map((name) => join(folder, name)),
  );
}

/** The database that `OPENCODE_DB` names, unless it is one of the usual ones. */
function storeNamed(given: string | undefined, data: string): string | undefined {
  if (given === undefined || given === ":memory:") return undefined;
  const path = isAbsolute(given) ? given : join(data, given);
  return databasesIn([data]).includes(path) ? undefined : path;
}

/** Cline keeps its tasks in the storage of each editor, and in its own folder. */
function clineFolders(home: string, own: (variable: string) => string | undefined): readonly string[] {
  const settings = [
    own("APPDATA") ?? own("XDG_CONFIG_HOME") ?? join(home, ".config"),
    join(home, "Library", "Application Support"),
  ];
  const editors = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
  return [
    join(own("CLINE_DIR") ?? join(home, ".cline"), "data", "tasks"),
    ...settings.flatMap((folder) =>
      editors.map((editor) => join(folder, editor, "User", "globalStorage", "saoudrizwan.claude-dev", "tasks")),
    ),
    join(home, ".vscode-server", "data", "User", "globalStorage", "saoudrizwan.claude-dev", "tasks"),
  ];
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
