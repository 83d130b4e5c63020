import { isStrong } from "./alert-strength.ts";
import { isFinish, type OkSource, succeeded, toHostView } from "./host-view.ts";
import { playPeers } from "./peer-rules.ts";
import { type Played, playRun } from "./play-run.ts";
import type { Preset } from "./presets.ts";
import { readLines } from "./read-runs.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { isConversation } from "./sets.ts";
import { TurnCounter } from "./turn-counter.ts";

export interface ExplainOptions {
  readonly data: string;
  readonly sets: readonly string[];
  readonly id: string;
  readonly preset: Preset;
  readonly okFrom: OkSource;
  /** True to print every turn. */
  readonly whole: boolean;
}

/**
 * Prints the runs with an id (`<id>` or `<set>:<id>`), with what Phasekit says in mode gate. False if there are none.
 */
export function explainRuns({ data, sets, id, ...options }: ExplainOptions): boolean {
  let found = 0;
  for (const set of sets) {
    const wanted = id.startsWith(`${set}:`) ? id.slice(set.length + 1) : id;
    const quoted = JSON.stringify(wanted).slice(1, -1);
    for (const line of readLines(data, set)) {
      if (!line.includes(quoted)) continue;
      const run = JSON.parse(line) as RecordedRun;
      if (run.id !== wanted) continue;
      found += 1;
      printRun(toHostView(run), options);
    }
  }
  return found > 0;
}

type PrintOptions = Omit<ExplainOptions, "data" | "sets" | "id">;

function printRun(run: RecordedRun, { preset, okFrom, whole }: PrintOptions): void {
  const played = playRun(run, { preset, mode: "gate", okFrom });
  const observed = playRun(run, { preset, mode: "observe", okFrom });
  const calls = run.events.filter(({ type }) => type === "tool").length;
  console.log(`\n${run.set}:${run.id}  outcome ${run.outcome}, ${played.turns} turns, ${calls} calls`);
  const notes = notesByTurn(played, playPeers(run, okFrom));
  const counter = new TurnCounter();
  const flush = (before: number): void => {
    for (const turn of [...notes.keys()].sort((x, y) => x - y)) {
      if (turn >= before) continue;
      for (const text of notes.get(turn) ?? []) console.log(`        ${text}`);
      notes.delete(turn);
    }
  };
  const show = (text: string): void => {
    if (whole || notes.has(counter.turn)) console.log(text);
  };
  let call = 0;
  let hasTask = false;
  for (const event of run.events) {
    if (counter.add(event)) flush(counter.turn);
    const at = `turn ${counter.turn}`;
    if (event.type === "user") {
      if (hasTask && isConversation(run.set)) show(`${at}  user: ${shorten(event.text, 140)}`);
      hasTask = true;
    } else if (event.type === "text") show(`${at}  text: ${shorten(event.text, 140)}`);
    else {
      call += 1;
      if (isFinish(event)) show(`${at}  call ${call} ends the run`);
      else
        show(
          `${at}  call ${call} ${event.name} ${shorten(JSON.stringify(event.args), 160)}\n` +
            `          ${succeeded(run, event, okFrom) ? "ok" : "FAILED"}: ${shorten(event.output, 140)}`,
        );
    }
  }
  flush(Infinity);
  const end = played.stop !== undefined ? "stopped" : played.vetoes.length > 0 ? "vetoed" : "accepted";
  console.log(`end: ${end}; verified without interventions: ${observed.verified ? "yes" : "no"}`);
}

/** Alerts and decisions of each turn, in words. */
function notesByTurn(played: Played, peers: Readonly<Record<string, number>>): Map<number, string[]> {
  const notes = new Map<number, string[]>();
  const add = (turn: number, text: string): void => {
    notes.set(turn, [...(notes.get(turn) ?? []), text]);
  };
  for (const alert of played.alerts) {
    const strength = isStrong(alert) ? "strong" : "weak or middling";
    const about = shorten(alert.subject ?? "", 100);
    add(alert.turn, `ALERT ${alert.kind} (${strength}, ${alert.severity}, count ${alert.count}) ${about}`);
  }
  for (const { turn, by, text } of played.nudges) add(turn, `NUDGE before this turn, by ${by}: ${shorten(text, 220)}`);
  for (const { turn, by, text } of played.refusals) add(turn, `REFUSED by ${by}: ${shorten(text, 160)}`);
  for (const { turn, by, kind } of played.reviews) add(turn, `REVIEW requested by ${by} (${kind})`);
  for (const { turn, gate, text } of played.vetoes) add(turn, `VETO at the end, gate ${gate}: ${shorten(text, 220)}`);
  if (played.stop !== undefined) {
    const { reason = "", by = "", text = "" } = played.stopReason ?? {};
    const left = Math.max(0, played.turns - played.stop.turn);
    add(played.stop.turn, `STOP after this turn: ${reason} by ${by}: ${shorten(text, 160)}; ${left} turns were left`);
  }
  for (const [rule, turn] of Object.entries(peers)) add(turn, `(rule "${rule}" stops here)`);
  return notes;
}

function shorten(text: string, length: number): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length > length ? `${flat.slice(0, length - 30)} … ${flat.slice(-26)}` : flat;
}
