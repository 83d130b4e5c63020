import type { CodingPhase } from "@phasekit/coding";
import type { DeliverOptions, ProcessOptions } from "@phasekit/contracts";
import type { RunOptions } from "@phasekit/core";

/** What `phasekit check` insists on. */
export interface CheckLimits {
  /** Gates that are not asked: `finished`, `verified`, `no-loop`. @default none */
  readonly without?: readonly string[];
  /** @default no limit */
  readonly maxTurns?: number;
  /** Input and output tokens together. @default no limit */
  readonly maxTokens?: number;
  /** Calls that failed or brought nothing new. @default no limit */
  readonly maxWastedCalls?: number;
}

/** What `phasekit worker` decides with and delivers to. Without `judge` reviews wait for people; without `deliver` messages stay in the outbox. */
export interface WorkerConfig
  extends Pick<ProcessOptions, "judge" | "artifacts" | "diff" | "checks" | "triggers" | "statusFor">,
    Partial<Pick<DeliverOptions, "deliver" | "createChangeRequest" | "promote">> {}

/** What `phasekit.config.ts` may say; everything has a default. */
export interface PhasekitConfig<TPhase extends string = CodingPhase> {
  /** The folder in which your own runs are kept, as given to `createFileStore`. @default ".phasekit/runs" */
  readonly runs?: string;
  /** Log files and folders to look in beside the usual places. @default none */
  readonly logs?: readonly string[];
  /** How runs are read and decided: graph, interpreters, policies, mode. @default codingRunOptions() */
  readonly run?: RunOptions<TPhase>;
  /** The folder of your contracts. @default "contracts" */
  readonly contracts?: string;
  readonly check?: CheckLimits;
  /** The address of a PostgreSQL database, for commands with `--db`. @default PHASEKIT_DATABASE_URL */
  readonly database?: string;
  readonly worker?: WorkerConfig;
}

/** The members of a config, for telling a misspelt one. */
export const configKeys: readonly (keyof PhasekitConfig)[] = ["runs", "logs", "run", "contracts", "check", "database", "worker"];

/**
 * Gives `phasekit.config.ts` its types; the config stays as it is.
 *
 * @example
 * export default defineConfig({ run: codingRunOptions({ policies: [noMigrations], budget: { turns: 60 } }) });
 */
export function defineConfig<const TPhase extends string = CodingPhase>(config: PhasekitConfig<TPhase>): PhasekitConfig<TPhase> {
  return config;
}
