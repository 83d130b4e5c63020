import type { RunEvent, RunPort } from "@phasekit/core";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isStrong } from "./alert-strength.ts";
import type { Preset } from "./presets.ts";
import type { RecordedEvent } from "./recorded-run.ts";

/** A short labelled case: `fire` is a loop, `silent` is healthy. Other labels are left out. */
interface LoopCase {
  readonly id: string;
  readonly name: string;
  readonly consensus: string;
  readonly events: readonly (RecordedEvent & { readonly exit_code?: number })[];
}

/** The result of one case. */
interface PlayedCase {
  readonly id: string;
  readonly name: string;
  readonly isLoop: boolean;
  readonly alerted: boolean;
}

/** Plays labelled cases and prints how many loops raise an alert, how many healthy ones do, and which are wrong. */
export function renderCases(
  file: string,
  { preset, whole }: { readonly preset: Preset; readonly whole: boolean },
): string {
  const played = readCases(file).map((entry) => playCase(entry, preset));
  const loops = played.filter(({ isLoop }) => isLoop);
  const healthy = played.filter(({ isLoop }) => !isLoop);
  const caught = loops.filter(({ alerted }) => alerted);
  const alarms = healthy.filter(({ alerted }) => alerted);
  const wrong = [...loops.filter(({ alerted }) => !alerted), ...alarms];
  return [
    `${file}: ${caught.length} of ${loops.length} loops raise an alert (${percent(caught, loops)}), `,
    `${alarms.length} of ${healthy.length} healthy cases do (${percent(alarms, healthy)}).`,
    ...(whole ? wrong.map(({ id, name, isLoop }) => `\n${isLoop ? "missed" : "false "}  ${id}  ${name}`) : []),
  ].join("");
}

function readCases(file: string): readonly LoopCase[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const cases = text.trimStart().startsWith("[")
    ? (JSON.parse(text) as readonly LoopCase[])
    : text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LoopCase);
  return cases.filter(({ consensus }) => consensus === "fire" || consensus === "silent");
}

function playCase({ id, name, consensus, events }: LoopCase, preset: Preset): PlayedCase {
  let time = 0;
  const [first] = events;
  // The first text of the user is the task, as in recorded runs.
  const task = first?.type === "user" ? first.text : undefined;
  const run: RunPort = preset({
    id,
    mode: "observe",
    clock: () => (time += 1),
    ...(task !== undefined && { task: { text: task } }),
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const event of task === undefined ? events : events.slice(1)) record(run, event);
  return {
    id,
    name,
    isLoop: consensus === "fire",
    alerted: log.some((event) => event.type === "alert.raised" && isStrong(event)),
  };
}

function record(run: RunPort, event: LoopCase["events"][number]): void {
  const who = event.agent === undefined ? {} : { agent: event.agent };
  if (event.type === "user") run.record({ type: "message.received", text: event.text });
  else if (event.type === "text") {
    run.text(event.text);
    run.record({ type: "message.sent", text: event.text, ...who });
  } else {
    run.beforeTurn(who);
    const { call } = run.beforeTool({ tool: event.name, input: event.args, ...who });
    const exitCode = event.exit_code;
    run.record({
      type: "tool.finished",
      call,
      outcome: event.ok === false ? "error" : "ok",
      output: event.output,
      ...(exitCode !== undefined && { exitCode }),
    });
  }
}

function percent(some: readonly unknown[], all: readonly unknown[]): string {
  return all.length === 0 ? "-" : `${((100 * some.length) / all.length).toFixed(1)} %`;
}
