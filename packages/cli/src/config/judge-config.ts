import { relative } from "node:path";
import type { GateResult } from "../check/check-story.ts";
import type { ConfigBase } from "./base-config.ts";
import { type LoadedConfig, trustCommand } from "./load-config.ts";

/** The gate that fails if an approved or committed config was changed or removed. */
export const CONFIG_GATE = "config";

const CHANGES = {
  same: "unchanged since",
  changed: "changed since",
  new: "new since",
  removed: "removed since",
  none: "none in",
} as const satisfies Record<Exclude<ConfigBase["change"], "unknown">, string>;

/** Says in one sentence which config was used and how it changed since the base commit. */
export function configText(loaded: LoadedConfig, base: ConfigBase, cwd: string): string {
  const since =
    base.change === "unknown" || base.commit === undefined
      ? "changes unknown: no base commit"
      : `${CHANGES[base.change]} ${base.name ?? ""} ${base.commit.slice(0, 12)}`;
  if (loaded.path === undefined) return `config: none${base.change === "removed" ? `; one was ${since}` : ""}`;
  const weaker = isHeldBack(loaded, base)
    ? `; not approved, so it can only tighten the base; to approve it: ${trustCommand(relative(cwd, loaded.path))}`
    : "";
  const hash = `sha256 ${loaded.sha256?.slice(0, 12) ?? ""}`;
  return `config: ${relative(cwd, loaded.path)}, ${hash}, ${loaded.approved ? "approved, " : ""}${since}${weaker}`;
}

/** Converts the config and its change since the base commit to the data of `--json`. */
export function configToData(loaded: LoadedConfig, base: ConfigBase): object {
  const { path = null, sha256 = null, named, approved, ignored } = loaded;
  return {
    path,
    sha256,
    named,
    approved,
    change: base.change,
    base: base.commit === undefined ? null : { name: base.name, commit: base.commit },
    heldBack: isHeldBack(loaded, base),
    ignored: ignored.map(({ path: file, why }) => ({ path: file, why })),
  };
}

/** True if a setting of the config is ignored because it would loosen the check. */
function isHeldBack({ config, approved, path }: LoadedConfig, base: ConfigBase): boolean {
  if (approved || path === undefined) return false;
  const { without = [], ...limits } = config.check ?? {};
  const before = base.config.check ?? {};
  const loosens = (["maxTurns", "maxTokens", "maxWastedCalls"] as const).some(
    (name) => before[name] !== undefined && (limits[name] ?? Infinity) > before[name],
  );
  return (
    loosens ||
    rankOf(limits.evidence) > rankOf(before.evidence) ||
    without.some((gate) => before.without?.includes(gate) !== true) ||
    (config.run === undefined && config.policy !== base.config.policy)
  );
}

/** Fails if an approved or committed code config is different or missing; only reports one that was never approved. */
export function configGates(
  loaded: LoadedConfig,
  { base, missing, cwd }: { readonly base: ConfigBase; readonly missing: readonly string[]; readonly cwd: string },
): readonly GateResult[] {
  const gone = base.changedCode.filter((path) => !(loaded.path === path && (loaded.approved || loaded.named)));
  const changed = loaded.ignored.filter(({ why }) => why === "changed").map(({ path }) => path);
  const [first] = [...changed, ...missing, ...gone];
  if (first !== undefined)
    return [
      {
        gate: CONFIG_GATE,
        verdict: "FAIL",
        text: [
          `${relative(cwd, first)} differs from the approved or committed version, so its limits were not applied`,
          `restore it, or approve it: ${trustCommand(relative(cwd, first))}`,
        ].join("; "),
      },
    ];
  const unapproved = loaded.ignored.find(({ why }) => why === "unapproved");
  return unapproved === undefined ? [] : [{ gate: CONFIG_GATE, verdict: "UNKNOWN", text: unapproved.text }];
}

/**
 * Returns the config with the policies of the base commit, unless the user named some on the command line, and with the
 * gates of both.
 */
export function withPolicyOf(
  loaded: LoadedConfig,
  { config: { policy, gates: before = [] } }: ConfigBase,
): LoadedConfig {
  const { policy: now, gates: named = [], ...rest } = loaded.config;
  const gates = [...new Set([...named, ...before])];
  const isOurs = now === policy || loaded.policyFile !== undefined;
  const used = isOurs ? now : policy;
  return {
    ...loaded,
    config: { ...rest, ...(used !== undefined && { policy: used }), ...(gates.length > 0 && { gates }) },
  };
}

/** Without a limit, `supported` is asked for. */
const rankOf = (grade: "proven" | "supported" | "weak" = "supported"): number =>
  ["proven", "supported", "weak"].indexOf(grade);
