import { type Conversation, createConversation, defineAgent } from "@phasekit/orchestrator";
import { heapAfterCollection, median, ratio } from "./measure.ts";
import type { Story } from "./comparison.ts";

const LATE = 10_000;
const FIRST_HEAP = 2000;
const EARLY = 20;
const COUNT = 50;
const BLOCKS = 21;

/** True if a round of a conversation gets dearer with the rounds before it. */
export async function orchestrator(): Promise<Story> {
  const old = startConversation();
  await old.proceed({ rounds: FIRST_HEAP });
  const before = { heap: heapAfterCollection(), seq: old.run.view.seq };
  await old.proceed({ rounds: LATE - FIRST_HEAP });
  const after = { heap: heapAfterCollection(), seq: old.run.view.seq };
  const early: number[] = [];
  const late: number[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const young = startConversation();
    await young.proceed({ rounds: EARLY });
    // Every block begins with the other one, so that none always pays for what the other left behind.
    const turns =
      block % 2 === 0
        ? ([
            [young, early],
            [old, late],
          ] as const)
        : ([
            [old, late],
            [young, early],
          ] as const);
    for (const [conversation, samples] of turns) samples.push(await timePerRound(conversation));
  }
  return {
    title: "Whether a round of a conversation gets dearer with the rounds before it",
    baseline: `one round around number ${EARLY + COUNT / 2}, two agents and their prompts: ${(median(early) / 1000).toFixed(0)} µs`,
    results: [
      {
        what: `one round, around number ${LATE.toLocaleString("en")}`,
        value: ratio(late, early),
        unit: "×",
        target: 1.2,
      },
      {
        what: `heap, from round ${FIRST_HEAP.toLocaleString("en")} to ${LATE.toLocaleString("en")}`,
        value: (after.heap - before.heap) / (after.seq - before.seq),
        unit: "B per event",
        target: 1,
      },
    ],
    notes: [
      `The old conversation has ${old.state.roundCount.toLocaleString("en")} rounds and ${old.run.view.seq.toLocaleString("en")} events; every round has a router, two agents with child runs, a hand-off and a history in each prompt.`,
      "The early rounds are those of a new conversation in every block, so that both are measured side by side in warm code.",
    ],
  };
}

async function timePerRound(conversation: Conversation): Promise<number> {
  const start = process.hrtime.bigint();
  await conversation.proceed({ rounds: COUNT });
  return Number(process.hrtime.bigint() - start) / COUNT;
}

/** Every round says something new, so that nothing is found to be stale. */
function startConversation(): Conversation {
  let said = 0;
  const agents = ["planner", "executor"].map((name) =>
    defineAgent({
      name,
      work: ({ prompt }) => {
        said += 1;
        return {
          text: `${name} has read ${prompt.length} characters and says ${said}. ${"word ".repeat(40)}`,
          summary: `Step ${said}.`,
        };
      },
    }),
  );
  return createConversation({
    agents,
    task: { text: "Go on for ever." },
    initialPhase: false,
    roundCaps: { absolute: Infinity },
    router: ({ history }) => ({ agents: ["planner", "executor"], reason: `After ${history.length} characters.` }),
  });
}
