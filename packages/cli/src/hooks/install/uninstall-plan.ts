import type { AgentName } from "@phasekit/hooks";
import type { ByteText } from "./byte-text.ts";
import { editMembers, type InstallContext, installContext, withoutUs } from "./install-context.ts";
import { checkModule, type InstallPlan } from "./install-plan.ts";
import type { ReadBytes } from "./install-record.ts";
import { type InstallPlace, isInProcess } from "./install-target.ts";
import { isEmptySettings } from "./settings-text.ts";

/** Options for `planUninstall()`. */
export interface UninstallOptions extends InstallPlace {
  /** False if Phasekit is also installed in other settings. @default true */
  readonly isLast?: boolean;
  /** The file an in-process agent loads. */
  readonly moduleText?: (agent: "opencode" | "pi") => ByteText;
}

/**
 * Plans the removal of an installation. Settings that did not change since come back byte for byte; of others, exactly
 * what was added is removed.
 * @throws UNREADABLE_SETTINGS, FOREIGN_FILE, UNKNOWN_SCOPE
 */
export function planUninstall(agent: AgentName, options: UninstallOptions, read: ReadBytes): InstallPlan {
  const context = installContext(agent, options, read);
  const { scope, target, config, shared, servers, record } = context;
  const files = [{ path: target, before: read(target), after: targetWithoutUs(context, options) }];
  for (const path of [servers, shared, config]) {
    if (path === undefined) continue;
    const before = read(path);
    const after = path === servers ? withoutUs(context, path) : configWithoutUs(context, path, options);
    files.push({ path, before, after });
  }
  return {
    agent,
    scope,
    mode: "observe",
    target,
    files: files.filter(({ before, after }) => before !== after),
    record,
    backups: new Map(),
    notes: [],
  };
}

function targetWithoutUs(context: InstallContext, { moduleText }: UninstallOptions): ByteText | undefined {
  const { agent, target, read, record } = context;
  if (!isInProcess(agent)) return withoutUs(context, target);
  const text = moduleText?.(agent) ?? "";
  // A file that is not the one installed is the user's.
  if (record === undefined) return read(target) === text ? undefined : read(target);
  checkModule(context, text);
  return withoutUs(context, target);
}

/** Members that `init` needs on this machine, beside modes. */
const MACHINE = { node: "", configLoader: "", mcp: {} };

function configWithoutUs(
  { config, shared, modePath, read }: InstallContext,
  path: string,
  { isLast = true }: UninstallOptions,
): ByteText | undefined {
  const bytes = read(path);
  if (bytes === undefined) return undefined;
  const holdsMode = path === (shared ?? config);
  const left = editMembers({ path, bytes }, [
    [["http"], undefined],
    ...(holdsMode ? [[modePath, undefined] as const] : []),
  ]);
  return isEmptySettings(left, isLast && path === config ? MACHINE : {}) ? undefined : left;
}
