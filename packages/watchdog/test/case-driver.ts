import { createRun, nameTableInterpreter, type PolicyList, type Run, type RunEvent, type RunOptions, type RunPort } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { fingerprints } from "../src/fingerprints.ts";
import { watchdog } from "../src/watchdog.ts";

/** One thing that happens in a case: a tool call with its result, a text of the agent, a message of the user, a new turn. */
export type CaseEvent =
  | { readonly type: "tool"; readonly name: string; readonly args: unknown; readonly ok: boolean; readonly output: unknown; readonly exit_code?: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "turn" };

export interface LoopCase {
  readonly id: string;
  readonly name: string;
  readonly consensus: "fire" | "silent" | "policy";
  readonly expected: { readonly stuck: boolean; readonly kind: string };
  readonly events: readonly CaseEvent[];
}

/** A run with the default interpreters and detectors, and its log. */
export function startRun(options: Partial<RunOptions> & { readonly policies?: PolicyList<string> } = {}): { readonly run: Run; readonly log: RunEvent[] } {
  const run = createRun<string>({
    id: "case",
    interpret: [nameTableInterpreter(), fingerprints()],
    policies: [watchdog()],
    clock: manualClock({ step: 1 }).now,
    ...options,
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  return { run, log };
}

/** Tells a run one event of a case: a tool call is a turn of its own, a text is streamed and then sent as a message. */
export function tell(run: RunPort, event: CaseEvent): void {
  if (event.type === "tool") {
    run.beforeTurn();
    const { call } = run.beforeTool({ tool: event.name, input: event.args });
    run.record({
      type: "tool.finished", call, outcome: event.ok ? "ok" : "error", output: event.output,
      ...(event.exit_code !== undefined && { exitCode: event.exit_code }),
    });
  } else if (event.type === "text") {
    run.text(event.text);
    run.record({ type: "message.sent", text: event.text });
  } else if (event.type === "turn") run.beforeTurn();
  else run.record({ type: "message.received", text: event.text });
}

/** The first alert a case raises: what it is, and at which event. */
export function firstAlert(events: readonly CaseEvent[]): { readonly kind: string; readonly at: number } | undefined {
  const { run, log } = startRun();
  for (const [at, event] of events.entries()) {
    tell(run, event);
    const raised = log.find((entry) => entry.type === "alert.raised");
    if (raised !== undefined) return { kind: raised.kind, at };
  }
  const failed = log.find((entry) => entry.type === "policy.failed");
  if (failed !== undefined) throw new Error(`${failed.policy}: ${failed.message}`);
  return undefined;
}
