import { defineEvent } from "../events/define-event.ts";
import { matchesGlob } from "../text/glob.ts";
import { ownValue } from "../text/own-value.ts";
import type { RunPort, TurnAnswer } from "../run/run.ts";
import { shieldRun } from "./shield-run.ts";

const unresolvedModel = /* @__PURE__ */ defineEvent<{ readonly label: string }>("model.unresolved");
const unresolved = new WeakMap<RunPort, Set<string>>();

/** True if a phase offers a tool, by the rules of its turn. */
export function isOffered(tools: TurnAnswer["tools"], tool: string): boolean {
  const matches = (pattern: string): boolean => matchesGlob(tool, pattern);
  return tools?.deny?.some(matches) !== true && tools?.allow?.some(matches) !== false;
}

/** The model behind a phase's label. An unknown label keeps the host's model, and is recorded once per run. */
export function modelForLabel<TModel>(
  run: RunPort,
  label: string | undefined,
  models: Readonly<Record<string, TModel>> = {},
): TModel | undefined {
  if (label === undefined) return undefined;
  const model = ownValue(models, label);
  if (model !== undefined) return model;
  const noted = unresolved.get(run) ?? new Set();
  unresolved.set(run, noted);
  if (!noted.has(label)) shieldRun(run).record(unresolvedModel.record({ label }));
  noted.add(label);
  return undefined;
}
