import type { Mode } from "@phasekit/core";
import { nameIn, toObject } from "@phasekit/core/adapter";
import type { AgentName } from "@phasekit/hooks";
import { foreignFile, unknownTransport } from "../../errors.ts";
import { type ByteText, bytesToText } from "./byte-text.ts";
import { withMcpServer } from "./codex-config.ts";
import { handlersIn, hookEntries, hookLine, runsWhat, type Transport } from "./hook-entries.ts";
import { editMembers, type InstallContext, installContext, type PlannedFile, withoutUs } from "./install-context.ts";
import { notesFor } from "./install-notes.ts";
import { hashOf, type InstallRecord, type ReadBytes } from "./install-record.ts";
import {
  type InstallPlace,
  type InstallScope,
  installTarget,
  installTransports,
  isInProcess,
  settingsDefaults,
} from "./install-target.ts";
import { mergeHooks, type MergedSettings, parseSettings } from "./settings-text.ts";

/** Options for `planInstall()`. */
export interface InstallOptions extends InstallPlace {
  /** @default "observe" */
  readonly mode?: Mode;
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
  readonly moduleText?: (agent: "opencode" | "pi") => ByteText;
}

/** Everything an installation or a removal would do; nothing is done yet. */
export interface InstallPlan {
  readonly agent: AgentName;
  readonly scope: InstallScope;
  readonly mode: Mode;
  /** The agent's settings file, or the file it loads. */
  readonly target: string;
  /** The files that change, the target first. */
  readonly files: readonly PlannedFile[];
  /** The record that an installation leaves; the one that a removal follows, if there is one. */
  readonly record: InstallRecord | undefined;
  /** The files as a removal restores them, by path. */
  readonly backups: ReadonlyMap<string, ByteText>;
  /** Next steps for the user, such as trusting the hook. */
  readonly notes: readonly string[];
}

/**
 * Plans an installation: which files change, and how.
 * @throws UNREADABLE_SETTINGS, UNEXPECTED_SETTINGS, FOREIGN_FILE, UNKNOWN_SCOPE, UNKNOWN_TRANSPORT
 */
export function planInstall(agent: AgentName, options: InstallOptions, read: ReadBytes): InstallPlan {
  const context = installContext(agent, options, read);
  const { scope, target, root, config, shared, servers, record: earlier } = context;
  const { mode = "observe" } = options;
  const transports = installTransports(agent, scope);
  const { transport = transports[0] ?? "command" } = options;
  if (options.transport !== undefined && !transports.includes(options.transport))
    throw unknownTransport({ agent, scope, transport: options.transport }, transports);
  const token = tokenFor(context, options, transport);
  const before = read(target);
  const { bytes, made, runs } = isInProcess(agent)
    ? { bytes: ourModule(context, options.moduleText?.(agent) ?? ""), made: [], runs: [] }
    : withHooks(context, { options, transport, token });
  const configBytes = read(config);
  const files: PlannedFile[] = [
    { path: target, before, after: bytes },
    {
      path: config,
      before: configBytes,
      after: editMembers({ path: config, bytes: configBytes }, [
        [["http"], undefined],
        [["node"], options.node],
        ...(options.configLoader === undefined ? [] : [[["configLoader"], options.configLoader] as const]),
        ...(shared === undefined ? [[context.modePath, mode] as const] : []),
        ...(token === undefined ? [] : [[["mcp", "token"], token] as const]),
      ]),
    },
  ];
  if (shared !== undefined) {
    const text = read(shared);
    const after = editMembers({ path: shared, bytes: text }, [[context.modePath, mode]]);
    files.push({ path: shared, before: text, after });
  }
  let block: ByteText | undefined;
  if (servers !== undefined) {
    const text = read(servers);
    const ours = { root, recorded: earlier?.block };
    const added =
      transport === "mcp" ? withMcpServer({ path: servers, bytes: text }, { ...ours, node: options.node }) : undefined;
    block = added?.block;
    files.push({ path: servers, before: text, after: added?.bytes ?? withoutUs(context, servers) });
  }
  const recorded = files.filter(({ path }) => path === target || (path === servers && block !== undefined));
  const originals = new Map(recorded.map(({ path }) => [path, withoutUs(context, path)]));
  return {
    agent,
    scope,
    mode,
    target,
    files: files.filter((file) => file.before !== file.after),
    record: {
      version: 2,
      agent,
      scope,
      target,
      runs,
      ...(made !== undefined && { made }),
      ...(block !== undefined && { block }),
      files: recorded.map(({ path, after }) => {
        const original = originals.get(path);
        return { path, before: original === undefined ? null : hashOf(original), after: hashOf(after ?? "") };
      }),
      folders: earlier?.folders ?? [],
    },
    backups: new Map([...originals].flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const]))),
    notes: notesFor(context, { options, bytes }),
  };
}

interface WithHooks extends Omit<MergedSettings, "made"> {
  readonly made: MergedSettings["made"] | undefined;
  readonly runs: readonly string[];
}

/** The settings with our hooks, and what they run. */
function withHooks(
  { agent, scope, target, root, read, record, isOurs }: InstallContext,
  {
    options,
    transport,
    token,
  }: { readonly options: InstallOptions; readonly transport: Transport; readonly token: string | undefined },
): WithHooks {
  const program = { node: options.node, root, isShared: scope === "project" };
  const entries = hookEntries(agent, { ...program, transport, ...(token !== undefined && { token }) });
  const statusLine =
    agent === "claude-code" && options.statusLine === true
      ? { type: "command", command: hookLine(program, ["statusline"]) }
      : undefined;
  const file = { path: target, bytes: read(target), isOurs };
  const { bytes, made } = mergeHooks(file, {
    entries,
    statusLine,
    defaults: settingsDefaults(agent),
    earlier: record?.made,
  });
  const wanted = new Set(
    [...entries.values(), statusLine]
      .flatMap((entry) => [entry, ...handlersIn({ hooks: { any: [entry] } }).map(({ value }) => value)])
      .map(runsWhat),
  );
  const settings = parseSettings({ path: target, bytes });
  const present = [...handlersIn(settings).map(({ value }) => value), settings["statusLine"]];
  const runs = present.filter((one) => isOurs(one) || wanted.has(runsWhat(one))).flatMap((one) => runsWhat(one) ?? []);
  const hadOurs = handlersIn(parseSettings(file)).some(({ value }) => isOurs(value));
  // Without a record it is not known which members were added for the hooks.
  const isUnknown = record === undefined ? hadOurs : record.made === undefined;
  return { bytes, made: isUnknown ? undefined : [...(record?.made ?? []), ...made], runs: [...new Set(runs)] };
}

/** The file that the agent loads. A file of the user's with the same name is not replaced. */
function ourModule(context: InstallContext, text: ByteText): ByteText {
  checkModule(context, text);
  return text;
}

/**
 * Refuses a file with our name that is not the one that was installed.
 * @throws FOREIGN_FILE
 */
export function checkModule({ target, read, record }: InstallContext, text: ByteText): void {
  const current = read(target);
  const installed = record?.files.find(({ path }) => path === target)?.after;
  if (current !== undefined && current !== text && hashOf(current) !== installed) throw foreignFile(target);
}

/** The token that Codex passes to the MCP tool. Earlier versions kept it beside the port of the local server. */
function tokenFor(
  { config, read }: InstallContext,
  { home, cwd, token }: InstallOptions,
  transport: Transport,
): string | undefined {
  const { mcp, http } = parseSettings({ path: config, bytes: read(config) });
  const earlier = nameIn(toObject(http)["token"]);
  const codexHooks = bytesToText(read(installTarget("codex", { home, cwd })) ?? "");
  return (
    nameIn(toObject(mcp)["token"]) ??
    (earlier !== undefined && codexHooks.includes(earlier) ? earlier : undefined) ??
    (transport === "mcp" ? token : undefined)
  );
}
