import { type ConfigBase, readConfigBase, tightest } from "../config/base-config.ts";
import { searchedFolders } from "../config/find-config.ts";
import { CONFIG_GATE, configGates, withPolicyOf } from "../config/judge-config.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { missingApprovals } from "../config/trust-store.ts";
import { homeFolder } from "../config/user-folders.ts";
import type { CommandContext, CommandInput } from "../command.ts";
import { choiceOption, countOption, listOption, textOption } from "../command-options.ts";
import { badArgument } from "../errors.ts";
import { type CheckOptions, evidenceLimits, type GateResult, checkNames } from "./check-story.ts";

/** The rules of a check: options of the command, and those limits of the config that the agent cannot loosen. */
export interface CheckRules {
  readonly loaded: LoadedConfig;
  readonly base: ConfigBase;
  readonly options: CheckOptions;
  /** The gate over the config itself, or none. */
  readonly config: readonly GateResult[];
  /** Why gates are waived. */
  readonly reason: string | undefined;
  /** The policies to judge by: they define a loop, so the agent must not choose them either. */
  readonly policies: LoadedConfig;
}

/**
 * Reads the rules of a check.
 * @throws BAD_ARGUMENT
 */
export async function readCheckRules(
  options: CommandInput["options"],
  context: Pick<CommandContext, "config" | "cwd" | "env">,
): Promise<CheckRules> {
  const loaded = await context.config();
  const base = await readConfigBase(loaded, { cwd: context.cwd, base: textOption(options, "base") });
  // An approved config applies as it is. Any other may have been written by the agent under check.
  const limits = loaded.approved
    ? (loaded.config.check ?? {})
    : tightest(loaded.config.check ?? {}, base.config.check ?? {});
  const waived = listOption(options, "waive");
  const reason = textOption(options, "reason");
  if (waived.length > 0 && reason === undefined)
    throw badArgument("--waive requires --reason", 'Add one: `--waive verified --reason "docs only"`.');
  const without = [...(limits.without ?? []), ...listOption(options, "without")];
  const names = [...checkNames, CONFIG_GATE];
  const unknown = [...without, ...waived].find((gate) => !names.includes(gate));
  if (unknown !== undefined) throw badArgument(`Unknown gate "${unknown}"`, `Use one of: ${names.join(", ")}.`);
  const missing = await missingApprovals(context.env, searchedFolders(context.cwd, homeFolder(context.env)));
  const results = without.includes(CONFIG_GATE) ? [] : configGates(loaded, { base, missing, cwd: context.cwd });
  return {
    loaded,
    base,
    reason,
    options: {
      without,
      waived,
      evidence: choiceOption(options, "evidence", evidenceLimits) ?? limits.evidence,
      maxTurns: countOption(options, "maxTurns") ?? limits.maxTurns,
      maxTokens: countOption(options, "maxTokens") ?? limits.maxTokens,
      maxWastedCalls: countOption(options, "maxWasted") ?? limits.maxWastedCalls,
    },
    config: results.map((result) =>
      result.verdict === "FAIL" && waived.includes(CONFIG_GATE) ? { ...result, verdict: "WAIVED" } : result,
    ),
    policies: loaded.approved ? loaded : withPolicyOf(loaded, base),
  };
}
