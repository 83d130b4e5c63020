import { type Conversation, createConversation, defineAgent } from "@phasekit/orchestrator";
import { defineComparison } from "./comparison.ts";
import { heapAfterCollection, median, type Pause, ratio, type Samples } from "./measure.ts";

const LATE = 10_000;
const FIRST_HEAP = 2000;
const EARLY = 20;
const COUNT = 50;
const BLOCKS = 21;
/** Rounds between two pauses while the long conversation is made. */
const PAUSE_EVERY = 500;

/** The time and memory of a round after 10,000 rounds, compared with one of a new conversation. */
export const orchestrator = defineComparison({
  title: "Growth of time and memory with the rounds of a conversation",
  baseline: `one round around number ${String(EARLY + COUNT / 2)}, two agents and their prompts`,
  rows: {
    heap: {
      what: `heap, from round ${renderCount(FIRST_HEAP)} to ${renderCount(LATE)}`,
      unit: "B per event",
      target: 1,
    },
    late: { what: `one round, around number ${renderCount(LATE)}`, unit: "×", target: 1.2 },
  },
  measure: async ({ now, pause, row }) => {
    now(`play ${renderCount(LATE)} rounds`);
    const old = startConversation();
    await proceed(old, { from: 0, to: FIRST_HEAP, pause });
    const before = { heap: heapAfterCollection(), seq: old.run.view.seq };
    await proceed(old, { from: FIRST_HEAP, to: LATE, pause });
    const after = { heap: heapAfterCollection(), seq: old.run.view.seq };
    row("heap", (after.heap - before.heap) / (after.seq - before.seq));
    now("compare early and late rounds");
    const { early, late } = await measureEarlyAndLate(old, pause);
    row("late", ratio(late, early));
    return [
      `An early round takes ${(median(early) / 1000).toFixed(0)} µs.`,
      `The old one has ${renderCount(old.state.roundCount)} rounds and ${renderCount(old.run.view.seq)} events.`,
      "Every round has a router, two agents with child runs, a hand-off and a history in each prompt.",
      "The early rounds are those of a new conversation in every block: both are measured side by side in warm code.",
    ];
  },
});

function renderCount(count: number): string {
  return count.toLocaleString("en");
}

async function proceed(
  conversation: Conversation,
  { from, to, pause }: { readonly from: number; readonly to: number; readonly pause: Pause },
): Promise<void> {
  for (let round = from; round < to; round += PAUSE_EVERY) {
    await pause(round, LATE);
    await conversation.proceed({ rounds: Math.min(PAUSE_EVERY, to - round) });
  }
}

async function measureEarlyAndLate(
  old: Conversation,
  pause: Pause,
): Promise<{ readonly early: Samples; readonly late: Samples }> {
  const early: number[] = [];
  const late: number[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    await pause(block, BLOCKS);
    const young = startConversation();
    await young.proceed({ rounds: EARLY });
    const measureYoung = async (): Promise<unknown> => early.push(await timePerRound(young));
    const measureOld = async (): Promise<unknown> => late.push(await timePerRound(old));
    // Every block begins with the other one, so that none always pays for the garbage of the other.
    for (const measure of block % 2 === 0 ? [measureYoung, measureOld] : [measureOld, measureYoung]) await measure();
  }
  return { early, late };
}

async function timePerRound(conversation: Conversation): Promise<number> {
  const start = process.hrtime.bigint();
  await conversation.proceed({ rounds: COUNT });
  return Number(process.hrtime.bigint() - start) / COUNT;
}

/** Every round has a new text, so that none is stale. */
function startConversation(): Conversation {
  let texts = 0;
  const agents = ["planner", "executor"].map((name) =>
    defineAgent({
      name,
      work: ({ prompt }) => {
        texts += 1;
        return {
          text: `${name} has read ${prompt.length} characters and says ${texts}. ${"word ".repeat(40)}`,
          summary: `Step ${texts}.`,
        };
      },
    }),
  );
  return createConversation({
    agents,
    task: { text: "Continue until you are stopped." },
    roundCaps: { absolute: Infinity },
    router: ({ history }) => ({ agents: ["planner", "executor"], reason: `After ${history.length} characters.` }),
  });
}
