import { describe, expect, it } from "vitest";
import type { PhaseSpec } from "../graph/phase-graph.ts";
import type { Policy } from "../policies/policy.ts";
import { OPTIONS, PHASE_FIELDS, POLICY_MEMBERS } from "./print-problems.ts";
import type { RunOptions } from "./run.ts";

const options: Readonly<Record<keyof RunOptions, true>> = {
  graph: true,
  interpret: true,
  policies: true,
  mode: true,
  id: true,
  task: true,
  folder: true,
  item: true,
  parent: true,
  redact: true,
  clip: true,
  nudges: true,
  maxVetoes: true,
  from: true,
  clock: true,
  createId: true,
  classify: true,
  onError: true,
};

const policyMembers: Readonly<Record<Extract<keyof Policy, string>, true>> = {
  name: true,
  version: true,
  mentions: true,
  mode: true,
  key: true,
  initial: true,
  resetOn: true,
  limits: true,
  needs: true,
  observe: true,
  decide: true,
  alerts: true,
  wakeAt: true,
  guards: true,
  watchText: true,
};

const phaseFields: Readonly<Record<keyof PhaseSpec, true>> = {
  next: true,
  purpose: true,
  entry: true,
  work: true,
  exit: true,
  constraints: true,
  guidance: true,
  notes: true,
  agents: true,
  tools: true,
  activities: true,
  model: true,
  timeoutMs: true,
  maxTurns: true,
  share: true,
  partial: true,
  final: true,
  fresh: true,
  waiting: true,
  data: true,
};

describe("the names that development mode knows", () => {
  it.each([
    { known: OPTIONS, names: options },
    { known: POLICY_MEMBERS, names: policyMembers },
    { known: PHASE_FIELDS, names: phaseFields },
  ])("are those of the types, case %#", ({ known, names }) => {
    expect(known.split(" ")).toEqual(Object.keys(names));
  });
});
