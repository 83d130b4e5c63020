import { tableOf } from "@phasekit/core/adapter";
import { type CodingPhase, codingRunOptions } from "@phasekit/coding";
import { codingPhases, type Mode, type Policy, type RunOptions } from "@phasekit/core";
import { expectations, reading } from "@phasekit/reading";
import { testsFresh, phaseTracker, testsKept } from "@phasekit/tracker";
import { escalation, watchdog } from "@phasekit/watchdog";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { badPolicy } from "./errors.ts";
import type { LoadedConfig } from "./config/load-config.ts";
import { withGates } from "./config/named-gates.ts";
import { loadModule } from "./load-module.ts";

/** A named set of policies. */
export interface PolicySet {
  readonly name: string;
  readonly options: (mode: Mode) => RunOptions;
}

type AnyOptions = RunOptions;

const interpret = reading();

/** The built-in policy sets. */
const presets: Readonly<Record<string, () => RunOptions<CodingPhase>>> = tableOf({
  coding: () => codingRunOptions(),
  watchdog: () => ({
    graph: codingPhases,
    interpret,
    policies: [phaseTracker(), expectations(), watchdog(), escalation()],
  }),
  gates: () => ({ graph: codingPhases, interpret, policies: [phaseTracker(), testsFresh(), testsKept()] }),
  none: () => ({ graph: codingPhases, interpret, policies: [phaseTracker()] }),
});

/** The names of the built-in policy sets. */
const presetNames: readonly string[] = Object.keys(presets);

/**
 * Returns the policy set of a config; by default the coding preset. Ignores a policy file without approval.
 * @throws BAD_POLICY
 */
export async function configuredSet(
  loaded: Pick<LoadedConfig, "config" | "folder" | "policyFile">,
): Promise<PolicySet> {
  return withGates(await policiesOf(loaded), loaded.config.gates ?? []);
}

async function policiesOf({
  config: { run, policy = "coding" },
  folder,
  policyFile,
}: Pick<LoadedConfig, "config" | "folder" | "policyFile">): Promise<PolicySet> {
  if (run !== undefined) return { name: "phasekit.config", options: (mode) => ({ ...run, mode }) };
  if (policyFile !== undefined) return { ...(await loadPolicySet(policyFile, folder)), name: policy };
  const preset = presets[policy];
  return preset === undefined ? presetSet("coding", codingRunOptions) : presetSet(policy, preset);
}

/** The first line of an error, with its place in the file: "line 3". */
function problemIn({ message, stack = "" }: Error, path: string): string {
  const line = /\((\d+):\d+\)/.exec(message)?.[1] ?? stack.split(path)[1]?.match(/^:(\d+)/)?.[1];
  const [problem = ""] = message.split("\n", 1);
  return line === undefined || problem.includes(`(${line}:`) ? problem : `${problem} (line ${line})`;
}

/**
 * Returns a preset by name, or the default export of a file: a policy, a list of policies or run options.
 * @throws BAD_POLICY
 */
export async function loadPolicySet(name: string, cwd: string): Promise<PolicySet> {
  const preset = presets[name];
  if (preset !== undefined) return presetSet(name, preset);
  const path = resolve(cwd, name);
  if (!existsSync(path)) throw badPolicy(name, `it is neither a preset (${presetNames.join(", ")}) nor a file`);
  let loaded: unknown;
  try {
    loaded = await loadModule(path);
  } catch (error) {
    throw badPolicy(name, error instanceof Error ? problemIn(error, path) : String(error), error);
  }
  const options = optionsIn(loaded);
  if (options === undefined)
    throw badPolicy(name, "the default export is not a policy, a list of policies or run options");
  return { name, options: (mode) => ({ ...options, mode }) };
}

/** Makes the options once: runs with the same policies share the plan of them. */
function presetSet(name: string, make: () => RunOptions<CodingPhase>): PolicySet {
  const options = make() as AnyOptions;
  return { name, options: (mode) => ({ ...options, mode }) };
}

/** Adds policies without run options to the coding preset. */
function optionsIn(loaded: unknown): AnyOptions | undefined {
  if (typeof loaded !== "object" || loaded === null) return undefined;
  if (Array.isArray(loaded))
    return loaded.flat().every(isPolicy) ? withDefaults(loaded as readonly Policy[]) : undefined;
  if (isPolicy(loaded)) return withDefaults([loaded]);
  const { run, graph, policies } = loaded as {
    readonly run?: unknown;
    readonly graph?: unknown;
    readonly policies?: unknown;
  };
  if (typeof run === "object" && run !== null) return run;
  return graph !== undefined || policies !== undefined ? loaded : undefined;
}

function withDefaults(policies: readonly Policy[]): AnyOptions {
  return codingRunOptions({ policies: policies });
}

function isPolicy(value: unknown): value is Policy {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { readonly name?: unknown }).name === "string" &&
    ("decide" in value || "observe" in value)
  );
}
