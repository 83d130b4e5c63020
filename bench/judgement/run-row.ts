import { isLoopNudge, isStrong } from "./alert-strength.ts";
import { comparePhases, compareRepetition, type MarkedRun, type PhaseAgreement, readMark } from "./compare-labels.ts";
import type { EvidenceGrade } from "@phasekit/core";
import { nameIn, textIn, toObject } from "@phasekit/core/adapter";
import { exitCodeOf, type OkSource } from "./host-view.ts";
import { playPeers } from "./peer-rules.ts";
import { playRun } from "./play-run.ts";
import type { Preset } from "./presets.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { CODING } from "./sets.ts";

/** One run in numbers: a row for the tables. */
export interface RunRow {
  readonly set: string;
  readonly id: string;
  readonly index: number;
  readonly outcome: RecordedRun["outcome"];
  readonly model?: string;
  /** True if the outcome is success or failure. */
  readonly known: boolean;
  readonly turns: number;
  readonly kinds: readonly string[];
  readonly strongKinds: readonly string[];
  /** Kinds of the stalls, and their causes as far as they are named. */
  readonly stalls: readonly string[];
  readonly nudgedBy: readonly string[];
  readonly nudges: number;
  readonly loopNudges: number;
  readonly vetoed: boolean;
  readonly broken: readonly string[];
  readonly stopReason?: string;
  /** For each escalation level and peer rule, the last turn that is paid for if the run ends there. */
  readonly at: Readonly<Record<string, number | undefined>>;
  readonly marked?: MarkedRun;
  /** Coding sets only, from mode observe. */
  readonly verified?: boolean;
  readonly grade?: EvidenceGrade;
  /** True if at least one result of the run names an exit code. */
  readonly hasExitCodes?: boolean;
  readonly saidDone?: boolean;
  readonly lastChange?: number;
  readonly phases?: PhaseAgreement;
  readonly repetition?: Readonly<Record<string, number>>;
  /** The error, if playing the run threw. Such a row has no other figures. */
  readonly threw?: string;
}

export interface RowOptions {
  readonly index: number;
  readonly preset: Preset;
  readonly okFrom: OkSource;
}

/** Plays a run in mode gate, and on coding sets in mode observe too. */
export function makeRow(run: RecordedRun, { index, preset, okFrom }: RowOptions): RunRow {
  const { set, id, outcome, label } = run;
  const model = label?.model ?? label?.agent;
  const about = {
    set,
    id,
    index,
    outcome,
    ...(model !== undefined && { model }),
    known: outcome === "success" || outcome === "failure",
  };
  try {
    return { ...about, ...playGate(run, { preset, okFrom }), ...playObserve(run, { preset, okFrom }) };
  } catch (error) {
    return { ...about, threw: error instanceof Error ? (error.stack ?? error.message) : String(error) } as RunRow;
  }
}

function namesOfStall({ evidence }: { readonly evidence?: unknown }): readonly string[] {
  const { stall, cause } = toObject(evidence);
  return [`stall: ${textIn(stall)}`, `cause: ${nameIn(cause) ?? "not named"}`];
}

type GateFigures = Omit<RunRow, "set" | "id" | "index" | "outcome" | "model" | "known">;

function playGate(run: RecordedRun, { preset, okFrom }: Omit<RowOptions, "index">): GateFigures {
  const gate = playRun(run, { preset, mode: "gate", okFrom });
  const { alerts, nudges, refusals, vetoes, stop, stopReason } = gate;
  const loopNudges = nudges.filter(isLoopNudge);
  const strong = alerts.filter(isStrong);
  const marked = readMark(run);
  return {
    turns: gate.turns,
    kinds: unique(alerts.map(({ kind }) => kind)),
    stalls: unique(alerts.filter(({ kind }) => kind === "stall").flatMap(namesOfStall)),
    strongKinds: unique(strong.map(({ kind }) => kind)),
    nudgedBy: unique(nudges.map(({ by }) => by)),
    nudges: nudges.length,
    loopNudges: loopNudges.length,
    vetoed: vetoes.length > 0,
    broken: gate.broken,
    ...(stop !== undefined && stopReason !== undefined && { stopReason: `${stopReason.reason} by ${stopReason.by}` }),
    at: {
      alert: alerts[0]?.turn,
      strong: strong[0]?.turn,
      grave: strong.find(({ severity }) => severity !== "notice")?.turn,
      critical: strong.find(({ severity }) => severity === "critical")?.turn,
      nudge: turnBefore(loopNudges[0]),
      nudge2: turnBefore(loopNudges[1]),
      refusal: refusals[0]?.turn,
      stop: stop?.turn,
      ...playPeers(run, okFrom),
    },
    ...(marked !== undefined && { marked }),
  };
}

function playObserve(run: RecordedRun, { preset, okFrom }: Omit<RowOptions, "index">): Partial<RunRow> {
  if (!CODING.includes(run.set)) return {};
  const observed = playRun(run, { preset, mode: "observe", okFrom });
  const { verified, saidDone, grade } = observed;
  const hasExitCodes = run.events.some((event) => event.type === "tool" && exitCodeOf(event.output) !== undefined);
  const lastChange = observed.changes.at(-1);
  const phases = comparePhases(run, observed);
  const repetition = compareRepetition(run, observed);
  return {
    verified,
    saidDone,
    hasExitCodes,
    ...(grade !== undefined && { grade }),
    ...(lastChange !== undefined && { lastChange }),
    ...(phases !== undefined && { phases }),
    ...(repetition !== undefined && { repetition }),
  };
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** A nudge is given before its turn. */
function turnBefore(nudge: { readonly turn: number } | undefined): number | undefined {
  return nudge === undefined ? undefined : nudge.turn - 1;
}
