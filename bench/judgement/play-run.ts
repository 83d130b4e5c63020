import type { EventOf, EvidenceGrade, Mode, Run } from "@phasekit/core";
import { callOf } from "@phasekit/core/account";
import { defined } from "@phasekit/core/adapter";
import { exitCodeOf, isFinish, type OkSource, succeeded } from "./host-view.ts";
import type { Preset } from "./presets.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { isConversation } from "./sets.ts";
import { countTurns, TurnCounter } from "./turn-counter.ts";

/** The turn and call at which Phasekit reacted. */
interface Place {
  readonly turn: number;
  readonly call: number;
}

/** Decisions of Phasekit on one recorded run. */
export interface Played {
  readonly turns: number;
  readonly alerts: (Place & Pick<EventOf<"alert.raised">, "kind" | "severity" | "count" | "subject" | "evidence">)[];
  readonly nudges: (Place & { readonly by: string; readonly text: string })[];
  readonly refusals: (Place & { readonly by: string; readonly text: string })[];
  readonly vetoes: (Place & { readonly gate: string; readonly text: string })[];
  readonly reviews: (Place & { readonly by: string; readonly kind: string })[];
  /** Messages of policies that failed. */
  readonly broken: string[];
  /** One entry per finished call. */
  readonly steps: { readonly call: number; phase?: string; alerted?: boolean; repeats?: boolean }[];
  /** Turns in which a change of a file landed. */
  readonly changes: number[];
  stop: { readonly turn: number } | undefined;
  stopReason: (Place & { readonly by: string; readonly reason: string; readonly text?: string }) | undefined;
  saidDone: boolean;
  verified: boolean;
  /** The grade of the evidence at the end; absent if the run was stopped. */
  grade: EvidenceGrade | undefined;
}

export interface PlayOptions {
  readonly preset: Preset;
  readonly mode: Mode;
  readonly okFrom: OkSource;
}

/**
 * Plays a recorded run through Phasekit's public interface, as a host does, and notes what Phasekit says. Results of
 * refused calls are left out, and so is everything after a stop. The recorded agent does not react to anything.
 */
export function playRun(recorded: RecordedRun, { preset, mode, okFrom }: PlayOptions): Played {
  const { set, events } = recorded;
  const first = events.findIndex(({ type }) => type === "user");
  const task = events[first];
  let now = 1_700_000_000_000;
  const run = preset({
    id: "run",
    mode,
    clock: () => (now += 1),
    ...(task?.type === "user" && { task: { text: task.text } }),
  });
  const played = nothingPlayed(countTurns(events));
  const place = { turn: 0, call: -1 };
  note(run, played, { place, mode });

  const counter = new TurnCounter();
  const beginTurn = (who: { agent?: string }): void => {
    place.turn = counter.turn;
    const answer = run.beforeTurn(who);
    if (mode !== "gate" || (answer.stop === undefined && !answer.wrapUp)) return;
    played.stop = { turn: answer.wrapUp ? place.turn : place.turn - 1 }; // a closing turn is still paid for
  };

  for (const [index, event] of events.entries()) {
    const who = event.agent === undefined || event.agent === "" ? {} : { agent: event.agent.slice(0, 80) };
    if (event.type === "tool") place.call += 1;
    const opens = counter.add(event);
    if (event.type === "user") {
      if (index !== first && isConversation(set)) run.record({ type: "message.received", text: event.text });
      continue;
    }
    if (event.type === "tool" && isFinish(event)) {
      played.saidDone = true;
      continue;
    }
    if (opens) beginTurn(who);
    if (played.stop !== undefined) break;
    if (event.type === "text") {
      run.text(event.text);
      run.record({ type: "message.sent", text: event.text, ...who });
      continue;
    }
    const answer = run.beforeTool({ tool: event.name, input: event.args, ...who });
    if (!answer.allow) continue;
    const exitCode = exitCodeOf(event.output);
    run.record({
      type: "tool.finished",
      call: answer.call,
      outcome: succeeded(recorded, event, okFrom) ? "ok" : "error",
      output: event.output,
      ...(exitCode !== undefined && { exitCode }),
    });
    const last = played.steps.at(-1);
    if (last?.call !== place.call) continue;
    last.phase = run.view.phase;
    last.alerted = run.view.alerts.size > 0;
    last.repeats = [...run.view.alerts.values()].some(({ kind }) => kind === "repeat");
  }
  if (played.stop === undefined) {
    const last = events.at(-1);
    run.beforeFinish({ text: last?.type === "text" ? last.text : "done" });
    run.end();
    played.verified = run.outcome?.verified === true;
    played.grade = run.outcome?.evidence.grade;
  }
  return played;
}

function nothingPlayed(turns: number): Played {
  return {
    turns,
    alerts: [],
    nudges: [],
    refusals: [],
    vetoes: [],
    reviews: [],
    broken: [],
    steps: [],
    changes: [],
    stop: undefined,
    stopReason: undefined,
    saidDone: false,
    verified: false,
    grade: undefined,
  };
}

/** Notes what the run says, with the place where it says it. A nudge comes before the turn it is for. */
function note(run: Run, played: Played, { place, mode }: { readonly place: Place; readonly mode: Mode }): void {
  run.subscribe((step) => {
    for (const event of step) {
      const at = { turn: place.turn, call: place.call };
      switch (event.type) {
        case "alert.raised": {
          const { kind, severity, count, subject, evidence } = event;
          played.alerts.push({ ...at, kind, severity, count, ...defined({ subject, evidence }) });
          break;
        }
        case "nudge.sent":
          if (event.applied || mode === "observe") played.nudges.push({ ...at, by: event.by, text: event.text });
          break;
        case "tool.refused":
          if (event.applied || mode === "observe") played.refusals.push({ ...at, by: event.by, text: event.text });
          break;
        case "finish.vetoed":
          if (event.applied || mode === "observe") played.vetoes.push({ ...at, gate: event.gate, text: event.text });
          break;
        case "review.requested":
          played.reviews.push({ ...at, by: event.by, kind: event.kind });
          break;
        case "stop.requested": {
          const { by, reason, text } = event;
          played.stopReason ??= { ...at, by, reason, ...(text !== undefined && { text }) };
          break;
        }
        case "policy.failed":
          played.broken.push(`${event.policy}: ${event.message}`);
          break;
        case "tool.finished":
          played.steps.push({ call: place.call });
          if (callOf(event).landed) played.changes.push(place.turn);
          break;
        default:
      }
    }
  });
}
