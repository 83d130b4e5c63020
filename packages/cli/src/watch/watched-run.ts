import { createStory, type RunStory } from "@phasekit/ledger/story";
import type { RunEvent, Severity } from "@phasekit/core";
import type { TranscriptRun } from "@phasekit/transcripts";
import { labelOf, severityRank } from "@phasekit/core/account";

/** An alert that is raised and not cleared. */
interface OpenAlert {
  readonly kind: string;
  readonly count: number;
  readonly severity: Severity;
  /** The call or file the alert is about. Foreign text. */
  readonly about?: string;
}

/** A run as `watch` shows it. */
export interface WatchedRun {
  readonly about: TranscriptRun;
  readonly story: RunStory;
  /** The most severe open alert. */
  readonly alert?: OpenAlert;
  /** The work that is missing before the run counts as done: a test run, or the gates that objected. Foreign text. */
  readonly owed: readonly string[];
  /** True if the agent has finished its work and waits for the next prompt. */
  readonly isWaiting: boolean;
}

/** Folds the events of one run, in bounded memory. */
export interface WatchedRunFold {
  readonly add: (step: readonly RunEvent[], about: TranscriptRun) => void;
  readonly get: () => WatchedRun;
}

const MAX_ALERTS = 100;
/** Events that do not mean that the agent works again. */
const QUIET: ReadonlySet<RunEvent["type"]> = new Set([
  "clock.ticked",
  "finish.vouched",
  "finish.vetoed",
  "nudge.sent",
  "nudge.dropped",
  "nudge.settled",
  "alert.raised",
  "alert.cleared",
  "phase.transition",
  "stop.requested",
  "context.compacted",
]);

/** Creates a fold over the events of one run. */
export function createWatchedRun(first: TranscriptRun): WatchedRunFold {
  const story = createStory();
  const alerts = new Map<string, OpenAlert>();
  let about = first;
  let isWaiting = false;
  let known: WatchedRun | undefined;

  function add(event: RunEvent): void {
    story.add(event);
    if (event.type === "alert.raised") {
      const { kind, signature, count, severity, subject } = event;
      if (alerts.size < MAX_ALERTS)
        alerts.set(`${kind} ${signature}`, {
          kind,
          count,
          severity,
          ...(subject !== undefined && { about: labelOf(subject) }),
        });
    } else if (event.type === "alert.cleared") alerts.delete(`${event.kind} ${event.signature}`);
    if (event.type === "finish.requested" || (event.type === "move.requested" && event.do === "suspend"))
      isWaiting = true;
    // A veto sends the agent back to work.
    else if (!QUIET.has(event.type) || (event.type === "finish.vetoed" && event.applied)) isWaiting = false;
  }

  return {
    add: (step, latest) => {
      known = undefined;
      about = latest;
      for (const event of step) add(event);
    },
    get: () => {
      if (known !== undefined) return known;
      const current = story.get();
      const [alert] = [...alerts.values()].sort((a, b) => severityRank(b.severity) - severityRank(a.severity));
      known = { about, story: current, owed: owedBy(current), isWaiting, ...(alert !== undefined && { alert }) };
      return known;
    },
  };
}

/** The gates that objected to the last finish; before the first finish, the tests that the last edit asks for. */
export function owedBy({ gates, work: { evidence }, reason }: RunStory): readonly string[] {
  const objected = gates.filter(({ verdict }) => verdict === "fail");
  if (objected.length > 0) return objected.map(({ gate, text = "" }) => (text === "" ? gate : `${gate}: ${text}`));
  if (evidence.grade !== "claimed" || reason !== undefined || gates.length > 0) return [];
  return [evidence.problem === "failed" ? "tests that pass" : "a test run after the last edit"];
}
