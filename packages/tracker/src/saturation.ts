import { definePolicy, emit, type Emit, nudge, type Nudge, type Policy, type RunView } from "@phasekit/core";
import { assertNumbers } from "@phasekit/core/adapter";
import { recentNewFiles } from "./new-files.ts";
import { type OwnWork, ownWork, workOf } from "./own-work.ts";
import type { WorkLog } from "./work-log.ts";

/** What is known when exploring brings nothing new any more. */
export interface SaturationFacts {
  /** Different files read in this stay in the phase, that were not read before. */
  readonly filesRead: number;
  readonly iterations: number;
}

/** Context for the text of the nudge. */
interface SaturationContext extends SaturationFacts {
  /** False if the user asked for an answer, a review or a plan. */
  readonly expectsEdits: boolean;
}

export interface SaturationOptions<TPhase extends string = "exploring"> {
  /** New files read in one stay, without any edit in the run, after which exploring is saturated. @default 10 */
  readonly fileThreshold?: number;
  /** Iterations in the phase after which it is saturated when the last three brought too few new files. @default 15 */
  readonly iterationThreshold?: number;
  /** New files in the last three iterations that still count as progress. @default 2 */
  readonly minNewFiles?: number;
  /** The phases in which looking around is the work. @default ["exploring"] */
  readonly phases?: readonly TPhase[];
  /**
   * True: the agent is left alone while a third of what it reads is new to it; the event is recorded all the same.
   * Needs an interpreter that tells news, such as `reading()`. `codingRun()` sets it. @default false
   */
  readonly onlyWithoutNews?: boolean;
  readonly text?: (facts: SaturationContext) => string;
}

/**
 * Notices that an agent goes on reading without changing anything: many files, or few new ones for long. Records
 * `exploration.saturation` once in each stay in the phase, and says so to the agent.
 *
 * @example
 * createRun({ graph: codingPhases, policies: [phaseTracker(), saturation({ fileThreshold: 20 })] })
 * @throws INVALID_OPTION if a threshold is not a number in its range.
 */
export function saturation(options?: SaturationOptions): Policy<unknown, "exploring">;
export function saturation<const TPhase extends string>(
  options: SaturationOptions<TPhase> & { readonly phases: readonly TPhase[] },
): Policy<unknown, TPhase>;
export function saturation({
  fileThreshold = 10,
  iterationThreshold = 15,
  minNewFiles = 2,
  phases = ["exploring"],
  onlyWithoutNews = false,
  text = defaultText,
}: SaturationOptions<string> = {}): Policy {
  assertNumbers({ fileThreshold, iterationThreshold }, { atLeast: 1 });
  assertNumbers({ minNewFiles });
  const factsOf = (run: RunView<string>, work: Readonly<WorkLog>): SaturationFacts | undefined => {
    if (!run.isIn(...phases) || work.edits > 0) return undefined;
    const { iterations } = run.entry;
    const filesRead = work.filesReadCount - work.filesReadBefore;
    const stale = iterations >= iterationThreshold && recentNewFiles(work, run.iterations) < minNewFiles;
    return filesRead >= fileThreshold || stale ? { filesRead, iterations } : undefined;
  };
  const report = (run: RunView<string>, state: Readonly<OwnWork>): Emit | undefined => {
    const work = workOf(run, state);
    const facts = work.shouldTransition ? undefined : factsOf(run, work);
    return facts === undefined ? undefined : emit("exploration.saturation", facts);
  };
  const say = (run: RunView<string>, state: Readonly<OwnWork>): Nudge | undefined => {
    const work = workOf(run, state);
    const facts = factsOf(run, work);
    return facts === undefined || (onlyWithoutNews && (work.lookGain ?? 0) >= LEARNING)
      ? undefined
      : nudge(text({ ...facts, expectsEdits: work.expectsEdits }), { topic: "exploration", priority: 10 });
  };
  return definePolicy<OwnWork, string>({
    name: "saturation",
    version: "2",
    mentions: phases,
    ...ownWork(),
    decide: { "tool.finished": report, "turn.started": say },
    // The overloads say which phases it mentions.
  }) as Policy<OwnWork>;
}

/** Looking around pays as long as a third of the answers is new. */
const LEARNING = 1 / 3;

function defaultText({ filesRead, iterations, expectsEdits }: SaturationContext): string {
  const rounds = counted(iterations, "round");
  const read =
    filesRead === 0
      ? `You have looked around for ${rounds}`
      : `You have read ${counted(filesRead, "file")} in ${rounds}`;
  const next = expectsEdits
    ? " and changed nothing yet. If you know enough, take the next step now: make the change and test it, or give your answer."
    : ", and the last ones brought little new. If you know enough, give your answer now.";
  return `${read}${next} If something is still missing, say in a sentence or two what you are looking for.`;
}

function counted(count: number, noun: string): string {
  return count === 1 ? `one ${noun}` : `${String(count)} ${noun}s`;
}
