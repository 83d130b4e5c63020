import { invalidOption } from "../errors.ts";
import { isSequence } from "../text/json.ts";
import type { Interpreter } from "../ingest/interpreter.ts";
import { nameTableInterpreter } from "../ingest/name-table-interpreter.ts";
import type { RunOptions } from "./run.ts";
import type { Mode } from "../view/run-view.ts";

const MODES: readonly Mode[] = ["observe", "nudge", "gate"];

/** Throws for what is wrong with the plain options of a run. */
export function assertOptions({ mode, id }: { readonly mode: Mode; readonly id: string }): void {
  if (!MODES.includes(mode)) throw invalidOption("mode", `"${mode}" is not one of ${MODES.join(", ")}`);
  if (typeof id !== "string" || id === "") throw invalidOption("id", "it must be a text that is not empty");
}

/**
 * Throws for options that are not an object. Bytes and lists are refused before their millions of members are read.
 * @throws INVALID_OPTION
 */
export function assertObject(value: unknown, option: string): void {
  if (typeof value !== "object" || value === null || isSequence(value))
    throw invalidOption(option, "it must be an object with members that have names");
}

/** The interpreters of one run, each with a memory of its own. */
export function interpretersOf({ interpret }: Pick<RunOptions, "interpret">): readonly Interpreter[] {
  if (interpret === undefined) return [nameTableInterpreter()];
  return [interpret].flat().map((source) => (typeof source === "function" ? source() : source));
}

/** Names and versions of the policies of a run. */
export type Parts = readonly { readonly name: string; readonly version?: string }[];

/** Which policies are new, gone or another version since the run began. */
export function changedParts(before: Parts, now: Parts): readonly string[] | undefined {
  const label = ({ name, version = "" }: Parts[number]): string => `${name}@${version}`;
  const old = new Set(before.map(label));
  const fresh = new Set(now.map(label));
  const changed = [
    ...[...fresh].filter((part) => !old.has(part)),
    ...[...old].filter((part) => !fresh.has(part)).map((part) => `-${part}`),
  ];
  return changed.length === 0 ? undefined : changed;
}
