import { damagedSnapshot, notStorable, otherSnapshot } from "../errors.ts";
import type { Interpreter } from "../ingest/interpreter.ts";
import type { PolicyPart } from "../step/policy-rows.ts";
import { decodeState, encodeState, type StateProblem } from "../text/encode-state.ts";
import { defined } from "../text/defined.ts";
import { hashText } from "../text/hash.ts";
import type { Json } from "../text/json.ts";
import { isObject, toObject } from "../text/loose-object.ts";
import type { Limits, Mode } from "../view/run-view.ts";
import type { ViewState } from "../view/view-state.ts";
import { changedParts, type Parts } from "./run-options.ts";

/** The whole state of a run as JSON, for `createRun({ from })`. Its size is bounded, however long the run is. */
export interface RunSnapshot {
  readonly version: 1;
  readonly run: string;
  /** The last event before the snapshot; the next one of the continued run has the number after it. */
  readonly seq: number;
  readonly mode: Mode;
  readonly graph?: string;
  /** Limits that a parent run left. */
  readonly limits?: Limits;
  readonly policies: Parts;
  readonly interpreters: Parts;
  readonly state: readonly Json[];
  /** A hash of `state`, to notice damage. */
  readonly hash: string;
}

/** The parts of a run that have state. */
export interface RunParts {
  readonly view: ViewState;
  readonly policies: Parts;
  readonly states: readonly PolicyPart[];
  readonly interpreters: readonly Interpreter[];
  readonly inherited: Limits | undefined;
}

/** Fields of the view that come from the options of the run. */
const GIVEN: readonly string[] = ["id", "graph", "mode"];

/** @throws NOT_STORABLE */
export function takeSnapshot({ view, policies, states, interpreters, inherited }: RunParts): RunSnapshot {
  const fields = Object.fromEntries(Object.entries(view).filter(([name]) => !GIVEN.includes(name)));
  const roots = [
    { owner: "the run", value: fields },
    ...states.map(({ policy, state }) => ({ owner: `policy "${policy.name}"`, value: state })),
    ...interpreters.map(({ name, save, recall }) => {
      if (recall !== undefined && save === undefined) throw notStorable(`interpreter "${name}"`, "it has no save()");
      return { owner: `interpreter "${name}"`, value: save?.() };
    }),
  ];
  const state = encodeState(
    roots.map(({ value }) => value),
    ({ path, what }: StateProblem) => {
      const [, place = "", within = ""] = /^\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
      throw notStorable(roots[Number(place)]?.owner ?? "the run", `"${within}" is ${what}`);
    },
  );
  return defined({
    version: 1 as const,
    run: view.id,
    seq: view.seq,
    mode: view.mode,
    graph: view.graph.name,
    limits: inherited,
    policies,
    interpreters: interpreters.map(({ name, version }) => defined({ name, version })),
    state,
    hash: hashText(JSON.stringify(state)),
  });
}

/** A snapshot that was read: what is known before the parts of the run exist, and how to fill them. */
export interface ReadSnapshot extends Pick<RunSnapshot, "run" | "mode" | "limits"> {
  readonly restoreView: (view: ViewState) => void;
  readonly restoreParts: (parts: Omit<RunParts, "inherited">) => void;
}

/**
 * Checks a snapshot, which may come from anywhere.
 * @throws DAMAGED_SNAPSHOT, OTHER_SNAPSHOT
 */
export function readSnapshot(given: unknown): ReadSnapshot {
  const { version, run, mode, limits, state, hash, policies, interpreters, graph } = toObject(
    given,
  ) as Partial<RunSnapshot>;
  if (version !== 1) throw damagedSnapshot(`its version is ${String(version)}, and this version of Phasekit reads 1`);
  if (hash !== hashText(JSON.stringify(state))) throw damagedSnapshot("its state is not what was written");
  const values = decodeState(state);
  if (!Array.isArray(values) || run === undefined || mode === undefined) throw damagedSnapshot("members are missing");
  const [fields, ...rest] = values as readonly unknown[];
  return {
    run,
    mode,
    ...defined({ limits }),
    restoreView: (view) => {
      if (view.id !== run || view.graph.name !== graph || view.mode !== mode)
        throw otherSnapshot([`run ${run}, graph ${String(graph)}, mode ${mode}`]);
      if (isObject(fields)) Object.assign(view, fields);
    },
    restoreParts: (parts) => {
      const changed = [
        ...(changedParts(policies ?? [], parts.policies) ?? []),
        ...(changedParts(interpreters ?? [], parts.interpreters) ?? []),
      ];
      if (changed.length > 0 || rest.length !== parts.states.length + parts.interpreters.length)
        throw otherSnapshot(changed);
      parts.states.forEach((part, place) => {
        part.state = rest[place];
        part.disabled = parts.view.disabled.has(part.policy.name);
      });
      parts.interpreters.forEach(({ load }, place) => load?.(rest[parts.states.length + place]));
    },
  };
}
