import type { Mode } from "@phasekit/core";
import { unknownScope, unknownTransport } from "../../errors.ts";
import type { AgentName } from "@phasekit/hooks";
import { listIn, nameIn, parsedIn, toObject } from "@phasekit/core/kit";
import { hookEntries, isOurEntry, sendsOverHttp, type Transport } from "./hook-entries.ts";
import { renderDiff } from "./line-diff.ts";
import { mergeHooks, stripHooks } from "./settings-text.ts";

/** Whose settings an installation goes into: the user's, the project's (shared), or the project's (private). */
export type InstallScope = "user" | "project" | "local";

export interface InstallOptions {
  /** @default "user" */
  readonly scope?: InstallScope;
  /** @default "observe" */
  readonly mode?: Mode;
  /** The user's home folder. */
  readonly home: string;
  /** The project's folder. */
  readonly cwd: string;
  /** Phasekit's folder. @default `.phasekit` in `home` */
  readonly root?: string;
  /** The Node.js that runs the hook command. */
  readonly node: string;
  /** The module that loads approved configs of projects; exports `loadLiveConfig`. @default the one known, if any */
  readonly configLoader?: string;
  /** `mcp` is for Codex alone. @default "command" */
  readonly transport?: Transport;
  /** The secret that hooks pass to the MCP tool, used if the configuration has none yet. */
  readonly token?: string;
  /** Adds Phasekit's status line to Claude Code, unless there is one. @default false */
  readonly statusLine?: boolean;
  /** The file an in-process agent loads. */
  readonly moduleText?: (agent: "opencode" | "pi") => string;
}

/** A file an installation changes; `after` is undefined if it is removed. */
interface PlannedFile {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly diff: string;
}

/** Everything an installation would do; nothing is done yet. */
export interface InstallPlan {
  readonly agent: AgentName;
  readonly scope: InstallScope;
  readonly mode: Mode;
  readonly files: readonly PlannedFile[];
  /** The agent's settings file, or the file it loads. */
  readonly target: string;
  /** Next steps for the user, such as trusting the hook. */
  readonly notes: readonly string[];
}

/** Reads a file; undefined if there is none. */
export type ReadText = (path: string) => string | undefined;

/** A record of an installation: the settings before and after it. */
export interface InstallRecord {
  readonly agent: AgentName;
  readonly scope: InstallScope;
  readonly target: string;
  readonly before: string | null;
  readonly after: string;
}

/** Settings of Claude Code, other than those that are changed, whose entries of an earlier version nothing answers. */
function overHttpNotes(
  agent: AgentName,
  { home, cwd }: Pick<InstallOptions, "home" | "cwd">,
  read: ReadText,
): readonly string[] {
  if (agent === "claude-code") return [];
  return installScopes("claude-code")
    .filter((scope) => sendsOverHttp(read(installTarget("claude-code", { scope, home, cwd }))))
    .map((scope) => {
      const command = `phasekit init claude-code${scope === "user" ? "" : ` --scope ${scope}`}`;
      return `Claude Code's hooks go to a port that others can take: run \`${command}\`.`;
    });
}

const STATUS_LINE_KEPT = "Your own status line was kept; `phasekit statusline` prints ours.";

const DEFAULTS: Readonly<Partial<Record<AgentName, object>>> = {
  "copilot-cli": { version: 1 },
  cursor: { version: 1 },
};

/** The file an installation changes. */
export function installTarget(
  agent: AgentName,
  { scope = "user", home, cwd }: Pick<InstallOptions, "scope" | "home" | "cwd">,
): string {
  const base = scope === "user" ? home : cwd;
  switch (agent) {
    case "claude-code":
      return `${base}/.claude/${scope === "local" ? "settings.local.json" : "settings.json"}`;
    case "codex":
      return `${base}/.codex/hooks.json`;
    case "gemini-cli":
      return `${base}/.gemini/settings.json`;
    case "copilot-cli":
      return scope === "user" ? `${home}/.copilot/hooks/phasekit.json` : `${cwd}/.github/hooks/phasekit.json`;
    case "cursor":
      return `${base}/.cursor/hooks.json`;
    case "opencode":
      return scope === "user" ? `${home}/.config/opencode/plugin/phasekit.js` : `${cwd}/.opencode/plugin/phasekit.js`;
    case "pi":
      return scope === "user" ? `${home}/.pi/agent/extensions/phasekit.ts` : `${cwd}/.pi/extensions/phasekit.ts`;
  }
}

/** The scopes an agent's settings have. */
export function installScopes(agent: AgentName): readonly InstallScope[] {
  return agent === "claude-code" ? ["user", "project", "local"] : ["user", "project"];
}

/** The ways an agent can reach Phasekit, the default first; none for agents that load a file of Phasekit's own. */
export function installTransports(agent: AgentName, scope: InstallScope = "user"): readonly Transport[] {
  if (isInProcess(agent)) return [];
  // A shared file must not hold a token.
  return agent === "codex" && scope !== "project" ? ["command", "mcp"] : ["command"];
}

function checkScope(agent: AgentName, scope: InstallScope): void {
  if (!installScopes(agent).includes(scope)) throw unknownScope(agent, scope, installScopes(agent));
}

/**
 * Plans an installation: which files change, and how.
 * @throws UNREADABLE_SETTINGS, UNKNOWN_SCOPE, UNKNOWN_TRANSPORT
 */
export function planInstall(agent: AgentName, options: InstallOptions, read: ReadText): InstallPlan {
  const { scope = "user", mode = "observe", home, cwd, root = `${home}/.phasekit` } = options;
  checkScope(agent, scope);
  const target = installTarget(agent, options);
  const transports = installTransports(agent, scope);
  const { transport = transports[0] ?? "command" } = options;
  if (options.transport !== undefined && !transports.includes(options.transport))
    throw unknownTransport({ agent, scope, transport: options.transport }, transports);
  const config = `${root}/hooks.json`;
  const configBefore = read(config);
  const known = toObject(parsedIn(configBefore ?? "{}"));
  const { mcp, http, ...others } = known;
  const token =
    nameIn(toObject(mcp)["token"]) ??
    earlierToken(http, read(installTarget("codex", { home, cwd }))) ??
    (transport === "mcp" ? options.token : undefined);
  const before = read(target);
  const after = isInProcess(agent)
    ? (options.moduleText?.(agent) ?? "")
    : mergeHooks(
        { path: target, text: before, defaults: DEFAULTS[agent], statusLine: statusLineFor(agent, options) },
        hookEntries(agent, { command: commandLine(options), transport, ...(token !== undefined && { token }) }),
      );
  const keepsStatusLine =
    options.statusLine === true && !isOurEntry(toObject(parsedIn(after))["statusLine"]) && agent === "claude-code";
  const userConfig = {
    ...others,
    node: options.node,
    ...(options.configLoader !== undefined && { configLoader: options.configLoader }),
    ...(scope === "user" && { modes: { ...toObject(known["modes"]), [agent]: mode } }),
    ...(scope === "local" && { projects: withProjectMode(known["projects"], { cwd, agent, mode }) }),
    ...(token !== undefined && { mcp: { token } }),
  };
  const files = [planned(target, before, after), planned(config, configBefore, printJson(userConfig))];
  if (agent === "codex") {
    const servers = codexConfig(target);
    const text = read(servers);
    const without = withoutMcpServer(text);
    files.push(planned(servers, text, transport === "mcp" ? withMcpServer(without, options) : without));
  }
  if (scope === "project") {
    const shared = `${cwd}/.phasekit/hooks.json`;
    const text = read(shared);
    const value = toObject(parsedIn(text ?? "{}"));
    files.push(planned(shared, text, printJson({ ...value, modes: { ...toObject(value["modes"]), [agent]: mode } })));
  }
  return {
    agent,
    scope,
    mode,
    target,
    files: files.filter(({ diff }) => diff !== ""),
    notes: [
      ...notesFor(agent, scope),
      ...(keepsStatusLine ? [STATUS_LINE_KEPT] : []),
      ...overHttpNotes(agent, { home, cwd }, read),
    ],
  };
}

/**
 * Plans the removal of an installation. Settings that did not change since come back byte for byte.
 * @throws UNREADABLE_SETTINGS, UNKNOWN_SCOPE
 */
export function planUninstall(
  agent: AgentName,
  options: Pick<InstallOptions, "scope" | "home" | "cwd" | "root">,
  { read, record }: { readonly read: ReadText; readonly record?: InstallRecord | undefined },
): InstallPlan {
  const { scope = "user", home, cwd, root = `${home}/.phasekit` } = options;
  checkScope(agent, scope);
  const target = installTarget(agent, options);
  const current = read(target);
  const restored =
    record !== undefined && current === record.after
      ? (record.before ?? undefined)
      : current === undefined || isInProcess(agent)
        ? undefined
        : stripHooks({ path: target, text: current, defaults: DEFAULTS[agent] });
  const files = [planned(target, current, restored)];
  const config = `${root}/hooks.json`;
  const configText = read(config);
  if (configText !== undefined) {
    const { modes, projects, mcp, http: _http, node, configLoader, ...rest } = toObject(parsedIn(configText));
    const left = {
      ...rest,
      ...present("modes", scope === "user" ? without(modes, agent) : toObject(modes)),
      ...present("projects", scope === "local" ? withoutProjectMode(projects, { cwd, agent }) : toObject(projects)),
    };
    const isEmpty = Object.keys(left).length === 0;
    files.push(
      planned(
        config,
        configText,
        isEmpty
          ? undefined
          : printJson({
              node,
              ...(configLoader !== undefined && { configLoader }),
              ...left,
              ...(mcp !== undefined && { mcp }),
            }),
      ),
    );
  }
  if (agent === "codex") {
    const servers = codexConfig(target);
    files.push(planned(servers, read(servers), withoutMcpServer(read(servers))));
  }
  if (scope === "project") {
    const shared = `${cwd}/.phasekit/hooks.json`;
    const text = read(shared);
    if (text !== undefined) {
      const { modes, ...rest } = toObject(parsedIn(text));
      const left = { ...rest, ...present("modes", without(modes, agent)) };
      files.push(planned(shared, text, Object.keys(left).length === 0 ? undefined : printJson(left)));
    }
  }
  return {
    agent,
    scope,
    mode: "observe",
    target,
    files: files.filter(({ before, after }) => before !== after),
    notes: [],
  };
}

/** The command line of the hook, without the agent's name. It does not change between versions. */
function commandLine({ scope = "user", home, root = `${home}/.phasekit`, node }: Omit<InstallOptions, "cwd">): string {
  // A shared file must not name one person's folders, and must be silent for those without Phasekit.
  if (scope === "project") return 'test ! -f "$HOME/.phasekit/bin/hook.cjs" || node "$HOME/.phasekit/bin/hook.cjs"';
  return `"${node}" "${root}/bin/hook.cjs"`;
}

const codexConfig = (target: string): string => target.replace(/hooks\.json$/, "config.toml");

const MCP_BLOCK = /\n?# phasekit: begin\n[^]*?# phasekit: end\n/;

/** Codex's configuration with the server whose tool the hooks call, between two marks. */
function withMcpServer(text: string | undefined, { home, root = `${home}/.phasekit`, node }: InstallOptions): string {
  const lines = [
    "# phasekit: begin",
    "[mcp_servers.phasekit]",
    `command = ${JSON.stringify(node)}`,
    `args = ${JSON.stringify([`${root}/bin/hook.cjs`, "mcp", "codex"])}`,
    "# phasekit: end",
  ];
  return `${text === undefined ? "" : `${text}\n`}${lines.join("\n")}\n`;
}

function withoutMcpServer(text: string | undefined): string | undefined {
  const without = text?.replace(MCP_BLOCK, "");
  return without === "" ? undefined : without;
}

function statusLineFor(agent: AgentName, options: InstallOptions): object | undefined {
  if (agent !== "claude-code" || options.statusLine !== true) return undefined;
  return { type: "command", command: `${commandLine(options)} statusline` };
}

function isInProcess(agent: AgentName): agent is "opencode" | "pi" {
  return agent === "opencode" || agent === "pi";
}

function planned(path: string, before: string | undefined, after: string | undefined): PlannedFile {
  return { path, before, after, diff: renderDiff(before ?? "", after ?? "") };
}

/** Earlier versions kept the token beside the port of the local server; Codex may still pass it to the MCP tool. */
function earlierToken(http: unknown, codexHooks: string | undefined): string | undefined {
  const token = nameIn(toObject(http)["token"]);
  return token !== undefined && codexHooks?.includes(token) === true ? token : undefined;
}

interface ProjectMode {
  readonly cwd: string;
  readonly agent: AgentName;
}

function withProjectMode(projects: unknown, { cwd, agent, mode }: ProjectMode & { readonly mode: Mode }): object {
  const modes = toObject(toObject(toObject(projects)[cwd])["modes"]);
  return { ...toObject(projects), [cwd]: { modes: { ...modes, [agent]: mode } } };
}

function withoutProjectMode(projects: unknown, { cwd, agent }: ProjectMode): object {
  const modes = without(toObject(toObject(projects)[cwd])["modes"], agent);
  return { ...without(projects, cwd), ...present(cwd, modes, (value) => ({ modes: value })) };
}

function without(value: unknown, key: string): object {
  return Object.fromEntries(Object.entries(toObject(value)).filter(([name]) => name !== key));
}

function present(key: string, value: object, wrap: (value: object) => object = (same) => same): object {
  return Object.keys(value).length === 0 ? {} : { [key]: wrap(value) };
}

function printJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function notesFor(agent: AgentName, scope: InstallScope): readonly string[] {
  switch (agent) {
    case "codex":
      return [
        "Codex silently skips hooks that you have not trusted: " +
          "start `codex`, open /hooks and trust the Phasekit hooks once.",
      ];
    case "gemini-cli":
      return [
        "Gemini CLI runs no hooks in a folder that you have not trusted: " +
          "answer its question, or start it with --skip-trust.",
      ];
    case "copilot-cli":
      return scope === "user" ? [] : ["Copilot CLI ignores hooks of a project without --trust-folder."];
    case "cursor":
      return ["Cursor's cloud agents do not run `stop` hooks."];
    case "opencode":
      return ["`opencode run` exits before a veto can reach the model; in the TUI and under `opencode serve` it can."];
    case "claude-code":
    case "pi":
      return [];
  }
}

/** The events of an agent's settings that hold Phasekit's entries. */
export function installedEvents(text: string, isOurs: (entry: unknown) => boolean): readonly string[] {
  const hooks = toObject(toObject(parsedIn(text))["hooks"]);
  return Object.entries(hooks).flatMap(([event, entries]) => (listIn(entries).some(isOurs) ? [event] : []));
}
