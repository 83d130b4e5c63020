// An agent loop for any durable engine. What happens outside is a step: the engine runs it once and remembers its
// result. Everything else, the run with its phases and gates too, is computed again after a crash.
import { codingRunOptions } from "@phasekit/coding";
import type { PendingReview, RunEvent, RunPort } from "@phasekit/core";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { createSteps, durableRun, durableTurn, newEvents, type WriteStep } from "@phasekit/durable";
import type { Answer, Result } from "./script.ts";

/** Engine, model, tools and person behind the loop. */
export interface AgentHost {
  /** The id of the workflow, the same in every attempt. */
  readonly id: string;
  readonly write: WriteStep;
  readonly model: (turn: number, message: string | undefined) => Answer | Promise<Answer>;
  readonly tool: (turn: number) => Result | Promise<Result>;
  /** Waits for a person, with the engine's own waiting. */
  readonly waitForPerson: (review: PendingReview) => Promise<ReviewVerdict>;
  /** Stores events of the run and returns the last one that is stored. */
  readonly store: (events: readonly RunEvent[], after: number) => Promise<number>;
  /** Default policies to leave out, such as after a new deployment. @default none */
  readonly without?: readonly string[];
  /** Only to compare logs in tests. @default Date.now */
  readonly clock?: () => number;
  /** Called between two steps; the tests kill the process here. */
  readonly between?: (turn: number) => void;
}

/** Turns before a person is asked for more. */
const TURNS = 8;

export async function agentLoop(host: AgentHost): Promise<RunPort> {
  const steps = createSteps(host.write, host.clock === undefined ? {} : { clock: host.clock });
  await steps.step("start", () => undefined);
  const run = durableRun({
    ...codingRunOptions({
      mode: "gate",
      task: { text: "Fix total()" },
      budget: { turns: TURNS, extend: { amount: { turns: 8 } } },
      without: host.without ?? [],
    }),
    id: host.id,
    steps,
  });
  let stored = 0;
  const keep = async (): Promise<void> => {
    const events = newEvents(run, stored);
    stored = await steps.step(`log ${String(stored)}`, () => host.store(events, stored));
  };

  for (let turn = 0; ; turn += 1) {
    const { message, stop } = await durableTurn(run, steps, async (review) => {
      await keep(); // so that the person can read how the run went: phasekit why
      return host.waitForPerson(review);
    });
    if (stop !== undefined) break;
    const answer = await steps.step(`model ${String(turn)}`, () => host.model(turn, message));
    run.record({ type: "model.answered", usage: { inputTokens: 1000, outputTokens: 50 } });
    host.between?.(turn);
    if ("done" in answer) {
      run.record({ type: "message.sent", text: answer.done });
      if (run.beforeFinish({ text: answer.done }).accept) break;
      continue;
    }
    const { allow, call } = run.beforeTool({ call: `call ${String(turn)}`, ...answer });
    if (!allow) continue;
    const { exitCode, output } = await steps.step(`tool ${String(turn)}`, () => host.tool(turn));
    run.record({ type: "tool.finished", call, outcome: exitCode === 0 ? "ok" : "error", exitCode, output });
  }
  run.end();
  await keep();
  return run;
}
