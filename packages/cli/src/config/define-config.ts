import type { PipelineOptions } from "@phasekit/contracts";
import type { codingPhases, Mode, RunOptions } from "@phasekit/core";
import type { GateName } from "./gate-names.ts";

/** Limits of `phasekit check`. */
export interface CheckLimits {
  /** Gates to skip: `finished`, `verified`, `no-loop`. @default none */
  readonly without?: readonly string[];
  /** The lowest grade of evidence that passes `verified`: `proven`, `supported` or `weak`. @default "supported" */
  readonly evidence?: "proven" | "supported" | "weak";
  /** @default no limit */
  readonly maxTurns?: number;
  /** Sum of input and output tokens. @default no limit */
  readonly maxTokens?: number;
  /** Calls that brought nothing new: errors, and answers the run had before. @default no limit */
  readonly maxWastedCalls?: number;
}

/**
 * Options for `phasekit worker`. Without `judge`, reviews wait for people; without `deliver`, messages stay in the
 * outbox.
 */
export type WorkerConfig = Omit<
  PipelineOptions,
  "store" | "contracts" | "log" | "wait" | "restMs" | "clock" | "createId" | "maxOpenClaims"
>;

/** The keys of a data config: `phasekit.config.json`, `.jsonc`, `.yaml` or `.yml`. All optional. */
export interface DeclarativeConfig {
  /** The folder of your own runs, as passed to `createFileStore`. @default ".phasekit/runs" */
  readonly runs?: string;
  /** Additional log files and folders to search. @default none */
  readonly logs?: readonly string[];
  /** The folder of your contracts. @default "contracts" */
  readonly contracts?: string;
  /**
   * A preset (`coding`, `watchdog`, `gates`, `none`) or a policy file. A file runs only after the user approves it.
   * @default "coding"
   */
  readonly policy?: string;
  readonly check?: CheckLimits;
  /** The mode of live sessions in this folder. Ignored unless the user approved the config. @default set by `init` */
  readonly mode?: Mode;
  /**
   * Conditions for the end of a run, in addition to those of the policy: `tests-fresh`, `tests-kept`, `claims-true`,
   * `todos-done`, `diff-not-empty`, `checks-kept`, `committed`, `pushed`, `pull-request-open`, `ci-green`. In mode
   * `gate` they send an agent back. @default none
   */
  readonly gates?: readonly GateName[];
  /**
   * The url of a PostgreSQL database, for commands with `--db`. Ignored unless the user named or approved the config.
   * @default PHASEKIT_DATABASE_URL
   */
  readonly database?: string;
}

/** The phases of the default policy set. */
type DefaultPhase = keyof (typeof codingPhases)["phases"];

/** The keys of a code config, such as `phasekit.config.ts`: those of a data config, and two with functions. */
export interface PhasekitConfig<TPhase extends string = DefaultPhase> extends DeclarativeConfig {
  /** How runs are interpreted and decided: graph, interpreters, policies, mode. @default the options of `policy` */
  readonly run?: RunOptions<TPhase>;
  readonly worker?: WorkerConfig;
}

/** The keys of a config, to find misspelled ones. */
export const configKeys: readonly (keyof PhasekitConfig)[] = [
  "runs",
  "logs",
  "run",
  "contracts",
  "policy",
  "check",
  "mode",
  "gates",
  "database",
  "worker",
];

/**
 * Types `phasekit.config.ts`. Returns the config unchanged.
 *
 * @example
 * export default defineConfig({ run: codingRunOptions({ policies: [noMigrations], budget: { turns: 60 } }) });
 */
export function defineConfig<const TPhase extends string = DefaultPhase>(
  config: PhasekitConfig<TPhase>,
): PhasekitConfig<TPhase> {
  return config;
}
