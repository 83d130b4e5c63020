import { type CodingPhase, codingRunOptions } from "@phasekit/coding";
import { codingPhases, type Mode, type Policy, type RunOptions } from "@phasekit/core";
import { codingInterpreter, freshTests, phaseTracker, testsNotWeakened } from "@phasekit/tracker";
import { escalation, fingerprints, watchdog } from "@phasekit/watchdog";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badPolicy } from "./errors.ts";
import type { LoadedConfig } from "./load-config.ts";
import { loadModule } from "./load-module.ts";

/** Ways to decide a run again: a name, and fresh options for each run. */
export interface PolicySet {
  readonly name: string;
  readonly options: (mode: Mode) => RunOptions;
}

type AnyOptions = RunOptions;

const interpret = [codingInterpreter(), fingerprints()];

/** The sets that can be named without writing a file. */
const presets: Readonly<Record<string, () => RunOptions<CodingPhase>>> = {
  coding: () => codingRunOptions(),
  watchdog: () => ({ graph: codingPhases, interpret, policies: [phaseTracker(), watchdog(), escalation()] }),
  gates: () => ({ graph: codingPhases, interpret, policies: [phaseTracker(), freshTests(), testsNotWeakened()] }),
  none: () => ({ graph: codingPhases, interpret, policies: [phaseTracker()] }),
};

/** The names of the presets. */
const presetNames: readonly string[] = Object.keys(presets);

/** The set a config asks for; without one, the coding preset. */
export function configuredSet({ config: { run }, path }: LoadedConfig): PolicySet {
  if (run === undefined) return presetSet("coding", codingRunOptions);
  return { name: path === undefined ? "config" : "phasekit.config", options: (mode) => ({ ...(run), mode }) };
}

/**
 * A preset by its name, or the default export of a file: a policy, a list of policies, or run options.
 * @throws BAD_POLICY
 */
export async function loadPolicySet(name: string, cwd: string): Promise<PolicySet> {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset !== undefined) return presetSet(name, preset);
  const path = resolve(cwd, name);
  if (!existsSync(path)) throw badPolicy(name, `it is no preset (${presetNames.join(", ")}) and no file`);
  let loaded: unknown;
  try {
    loaded = await loadModule(path);
  } catch (error) {
    throw badPolicy(name, error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error), error);
  }
  const options = optionsIn(loaded);
  if (options === undefined) throw badPolicy(name, "its default export is neither a policy nor a list of policies nor run options");
  return { name, options: (mode) => ({ ...options, mode }) };
}

function presetSet(name: string, make: () => RunOptions<CodingPhase>): PolicySet {
  return { name, options: (mode) => ({ ...(make() as AnyOptions), mode }) };
}

/** Policies alone are tried beside the default ones. */
function optionsIn(loaded: unknown): AnyOptions | undefined {
  if (typeof loaded !== "object" || loaded === null) return undefined;
  if (Array.isArray(loaded)) return loaded.flat().every(isPolicy) ? withDefaults(loaded as readonly Policy[]) : undefined;
  if (isPolicy(loaded)) return withDefaults([loaded]);
  const { run, graph, policies } = loaded as { readonly run?: unknown; readonly graph?: unknown; readonly policies?: unknown };
  if (typeof run === "object" && run !== null) return run;
  return graph !== undefined || policies !== undefined ? (loaded) : undefined;
}

function withDefaults(policies: readonly Policy[]): AnyOptions {
  return codingRunOptions({ policies: policies });
}

function isPolicy(value: unknown): value is Policy {
  return typeof value === "object" && value !== null && typeof (value as { readonly name?: unknown }).name === "string" && ("decide" in value || "observe" in value);
}
