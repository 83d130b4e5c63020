// The agent as a workflow of Temporal. This file and all it imports run in Temporal's sandbox.
import { condition, defineSignal, proxyActivities, setHandler } from "@temporalio/workflow";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { agentLoop } from "@phasekit/example-durable-agent";
import { countedSteps } from "@phasekit/example-durable-agent/counted-steps";
import type * as activities from "./activities.ts";

/** The answer of a person to the review that a run waits for. */
export const answerReview = defineSignal<[ReviewVerdict]>("answerReview");

const { model, tool, store } = proxyActivities<typeof activities>({ startToCloseTimeout: "10 minutes" });

export async function agent(id: string): Promise<void> {
  const verdicts: ReviewVerdict[] = [];
  setHandler(answerReview, (verdict) => void verdicts.push(verdict));
  await agentLoop({
    id,
    // A step is an activity: Temporal has its result in the history, and the time is the sandbox's own.
    ...countedSteps((_name, work) => work()),
    model,
    tool,
    waitForPerson: async () => {
      await condition(() => verdicts.length > 0);
      return verdicts.shift() ?? { verdict: "reject" };
    },
    store: (events, after) => store(id, events, after),
  });
}
