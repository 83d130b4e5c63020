import {
  createRun,
  nameTableInterpreter,
  type PolicyList,
  type Run,
  type RunEvent,
  type RunOptions,
  type RunPort,
} from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { reading } from "@phasekit/reading";
import { watchdog } from "../src/watchdog.ts";

/** One event of a case: a tool call with its result, a text of the agent, a message of the user, a new turn. */
export type CaseEvent =
  | {
      readonly type: "tool";
      readonly name: string;
      readonly args: unknown;
      readonly ok: boolean;
      readonly output: unknown;
      readonly exit_code?: number;
    }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "turn" };

/** A run with the default interpreters and policies, and its log. */
export function startRun(options: Partial<RunOptions> & { readonly policies?: PolicyList<string> } = {}): {
  readonly run: Run;
  readonly log: RunEvent[];
} {
  const run = createRun<string>({
    id: "case",
    interpret: [nameTableInterpreter(), reading()],
    policies: [watchdog()],
    clock: manualClock({ step: 1 }).now,
    ...options,
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  return { run, log };
}

/** Records one event of a case: a tool call is a turn of its own, a text is streamed and then sent as a message. */
export function play(run: RunPort, event: CaseEvent): void {
  if (event.type === "tool") {
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: event.name, input: event.args });
    run.record({
      type: "tool.finished",
      call,
      outcome: event.ok ? "ok" : "error",
      output: event.output,
      ...(event.exit_code !== undefined && { exitCode: event.exit_code }),
    });
  } else if (event.type === "text") {
    run.text(event.text);
    run.record({ type: "message.sent", text: event.text });
  } else if (event.type === "turn") run.beforeTurn();
  else run.record({ type: "message.received", text: event.text });
}

/** Kinds of the alerts a case raises, each once. A failing policy is an error. */
export function kindsOf(events: readonly CaseEvent[]): readonly string[] {
  const { run, log } = startRun();
  for (const event of events) play(run, event);
  const failed = log.find((entry) => entry.type === "policy.failed");
  if (failed !== undefined) throw new Error(`${failed.policy}: ${failed.message}`);
  return [...new Set(log.flatMap((event) => (event.type === "alert.raised" ? [event.kind] : [])))];
}
