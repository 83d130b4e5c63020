import { commandOf } from "./host-view.ts";
import type { Played } from "./play-run.ts";
import type { RecordedRun, RecordedTool } from "./recorded-run.ts";

const PHASE_OF: Readonly<Record<string, string>> = {
  Explore: "exploring",
  Search: "exploring",
  Locate: "exploring",
  Explain: "exploring",
  "Generate Fix": "acting",
  Refactor: "acting",
  "Run tests": "verifying",
  Reproduce: "verifying",
};

const EDIT_TOOLS = ["edit_file", "write_file", "write_fix", "write_range", "write_patch"];
const TEST_WORDS = ["test", "pytest", "npm test", "jest"];

/** The rule of seed 000: the phase from the name of the tool and four words in a command. */
function seedPhase({ name, args }: RecordedTool): string {
  const command = commandOf(args);
  if (name === "str_replace_editor") return command === "view" ? "exploring" : "acting";
  if (name === "execute_bash" || name === "bash")
    return TEST_WORDS.some((word) => command.includes(word)) ? "verifying" : "exploring";
  return EDIT_TOOLS.includes(name) ? "acting" : "exploring";
}

/** Steps whose phase agrees with the label a person gave them. */
export interface PhaseAgreement {
  steps: number;
  phase: number;
  seed: number;
  readonly misses: Record<string, number>;
}

const toolsOf = ({ events }: RecordedRun): readonly RecordedTool[] => events.filter((event) => event.type === "tool");

/** Compares phases with labels; `played` is in mode observe. Undefined for runs without aligned labels. */
export function comparePhases(run: RecordedRun, played: Played): PhaseAgreement | undefined {
  if (run.label?.aligned !== true) return undefined;
  const phases = new Map(played.steps.map(({ call, phase }) => [call, phase]));
  const result: PhaseAgreement = { steps: 0, phase: 0, seed: 0, misses: {} };
  let phase = "exploring";
  for (const [i, event] of toolsOf(run).entries()) {
    phase = phases.get(i) ?? phase;
    const category: string = run.label.categories?.[i] ?? "";
    const wanted: string | undefined = PHASE_OF[category];
    if (wanted === undefined) continue;
    result.steps += 1;
    result.seed += Number(seedPhase(event) === wanted);
    if (phase === wanted) result.phase += 1;
    else {
      const miss = `${category} read as ${phase} (${event.name})`;
      result.misses[miss] = (result.misses[miss] ?? 0) + 1;
    }
  }
  return result;
}

/**
 * Steps labelled "Repetition" against all alerts at the step, against the alert `repeat` alone, and against the rule
 * "equal to the call before".
 */
export function compareRepetition(run: RecordedRun, played: Played): Readonly<Record<string, number>> | undefined {
  if (run.label?.action_action === undefined) return undefined;
  const relation: readonly (string | null | undefined)[] = [undefined, ...run.label.action_action];
  const raised = new Set(played.alerts.map(({ call }) => call));
  const lit = new Set([...raised, ...played.steps.filter(({ alerted }) => alerted).map(({ call }) => call)]);
  const marked = new Set(played.steps.filter(({ repeats }) => repeats).map(({ call }) => call));
  const calls = toolsOf(run).map(({ name, args }) => JSON.stringify([name, args]));
  const result = {
    repeats: 0,
    lit: 0,
    near: 0,
    raised: 0,
    raisedRight: 0,
    raisedNear: 0,
    marked: 0,
    markedRight: 0,
    equal: 0,
    equalRight: 0,
  };
  for (const [i, made] of calls.entries()) {
    if (relation[i] === undefined || relation[i] === null) continue;
    const repeats = relation[i] === "Repetition";
    if (repeats) {
      result.repeats += 1;
      result.lit += Number(lit.has(i));
      result.near += Number([i - 1, i, i + 1, i + 2].some((k) => lit.has(k)));
    }
    if (raised.has(i)) {
      result.raised += 1;
      result.raisedRight += Number(repeats);
      result.raisedNear += Number([i - 1, i, i + 1].some((k) => relation[k] === "Repetition"));
    }
    if (marked.has(i)) {
      result.marked += 1;
      result.markedRight += Number(repeats);
    }
    if (i > 0 && calls[i - 1] === made) {
      result.equal += 1;
      result.equalRight += Number(repeats);
    }
  }
  return result;
}

/** A whole run that people did or did not mark for repetition. */
export interface MarkedRun {
  readonly group: string;
  readonly marked: boolean;
}

/** Labels of whole runs that name repetition: MAST's notes and TRAIL's annotated errors. */
export function readMark({ set, id, label }: RecordedRun): MarkedRun | undefined {
  if (set === "mast-human" && id.startsWith("HyperAgent"))
    return {
      group: "MAST, HyperAgent: step repetition or restart",
      marked: (label?.failure_modes ?? []).some((mode) => /Step repetition|Trajectory restart/i.test(mode)),
    };
  if (set === "trail")
    return {
      group: `TRAIL, ${id.split("__")[0] ?? id}: resource abuse`,
      marked: (label?.errors ?? []).some(({ category }) => /resource abuse/i.test(category)),
    };
  return undefined;
}
