import type { RunEvent } from "@phasekit/core";
import { depth } from "@phasekit/tooling/test-depth";
import { describe, expect, it } from "vitest";
import { virtualTime } from "../src/__fixtures__/virtual-time.ts";
import {
  type AgentResult,
  type Conversation,
  type ConversationOptions,
  createConversation,
  defineAgent,
  recoverConversation,
  type RoutingDecision,
} from "../src/index.ts";
import { agentFinished } from "../src/conversation/conversation-events.ts";
import { checkLog } from "./check-log.ts";
import { createRandom } from "./random.ts";

const NAMES = ["project-manager", "planner", "executor", "reviewer"];
const PHASES = ["chat", "brainstorm", "plan", "execute", "verification", "chores", "reflection"] as const;
const SEEDS = depth({ quick: 20, full: 100, long: 1000 });

/** One random history: a router and agents without sense, crashes at any event, until somebody cancels. */
async function play(seed: number) {
  const random = createRandom(seed);
  const time = virtualTime();
  const log: RunEvent[] = [];
  let life = 0;
  let unsaid: { readonly life: number; readonly round: string; readonly agent: string }[] = [];
  let calls = 0;
  let crashes = 0;
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => time.schedule(ms, resolve));

  const settled = { parallel: 1 + random.below(4), timeouts: NAMES.map(() => random.chance(0.3)) };
  /** A process that died does nothing more: whatever it would call never answers. */
  const gone = (mine: number): Promise<unknown> => (mine === life ? Promise.resolve() : new Promise(() => undefined));
  const optionsFor = (mine: number): ConversationOptions => ({
    id: "talk",
    clock: time.clock,
    schedule: time.schedule,
    roundTimeoutMs: 500,
    routerTimeoutMs: 300,
    graceMs: 20,
    parallel: settled.parallel,
    roundCaps: { withoutProgress: 8, absolute: 60 },
    supervisor: () => (random.chance(0.5) ? "restart" : "give-up"),
    agents: NAMES.map((name, index) =>
      defineAgent({
        name,
        ...(settled.timeouts[index] === true && { timeoutMs: 200 }),
        work: async ({ round, agent, allows, phase, signal }): Promise<AgentResult> => {
          await gone(mine);
          calls += 1;
          if (random.chance(0.5)) await sleep(random.below(150));
          if (random.chance(0.05)) await new Promise(() => undefined);
          if (random.chance(0.05)) await sleep(700);
          if (random.chance(0.1)) throw new Error("it broke");
          await gone(mine);
          if (!signal.aborted) unsaid.push({ life, round, agent });
          return {
            text: `${agent} ${String(calls)} ${String(allows("x"))}`,
            ...(random.chance(0.5) && { summary: `in ${phase}` }),
            ...(random.chance(0.05) && { question: "Which one?" }),
            ...(random.chance(0.2) && { phase: random.pick(PHASES) }),
          };
        },
      }),
    ),
    router: async ({ allowed }): Promise<RoutingDecision | string> => {
      await gone(mine);
      if (random.chance(0.3)) await sleep(random.below(50));
      if (random.chance(0.02)) await new Promise(() => undefined);
      if (random.chance(0.05)) throw new Error("no answer");
      if (random.chance(0.05)) return "I do not know.";
      const agents = random.chance(0.04)
        ? ["END"]
        : random.chance(0.05)
          ? ["nobody"]
          : [...random.some(NAMES), random.pick(NAMES)];
      const phase =
        random.chance(0.5) && allowed.length > 0
          ? random.pick(allowed)
          : random.chance(0.3)
            ? random.pick(PHASES)
            : undefined;
      const decision = { agents, ...(phase !== undefined && { phase }), reason: "chance" };
      return random.chance(0.3) ? `So be it:\n\`\`\`json\n${JSON.stringify(decision)}\n\`\`\`` : decision;
    },
  });

  const follow = (conversation: Conversation): Conversation => {
    const mine = life;
    const { seq } = conversation.run.view;
    conversation.run.subscribe((step) => {
      if (mine === life) log.push(...step.filter((event) => event.seq > (mine === 0 ? 0 : seq)));
    });
    return conversation;
  };

  let conversation = follow(createConversation(optionsFor(life)));
  for (let n = 0; n < 12 && conversation.status !== "ended"; n += 1) {
    const sent = random.chance(0.4)
      ? conversation.send(random.pick(["Add a page", "What if it flew?", "Help", "Redesign the architecture"]))
      : conversation.proceed();
    sent.catch((error: unknown) => {
      throw error;
    });
    const crashAt = random.chance(0.4) ? random.below(12) : Infinity;
    for (let step = 0; step < 25 && conversation.status === "working"; step += 1) {
      if (step === crashAt) {
        crashes += 1;
        // The process dies; the store may have lost the end of its last step.
        life += 1;
        if (random.chance(0.5)) log.length = Math.max(1, log.length - random.below(3));
        unsaid = [];
        const stored = JSON.parse(JSON.stringify(log)) as unknown[];
        const { conversation: again, missing } = recoverConversation(stored, optionsFor(life));
        log.push(...missing);
        conversation = follow(again);
        void conversation.proceed();
        continue;
      }
      await time.advance(random.below(120));
    }
    if (random.chance(0.1)) conversation.cancelRound("chance");
    if (random.chance(0.1)) conversation.suspend();
    await time.advance(random.below(50));
    if (conversation.status === "suspended") void conversation.resume();
  }
  // Everything that can still come, comes.
  await time.advance(2000);
  const state = JSON.stringify(plain(conversation.state));
  const recovered = JSON.stringify(
    plain(recoverConversation(JSON.parse(JSON.stringify(log)) as unknown[], optionsFor(-1)).conversation.state),
  );
  if (conversation.status !== "ended") {
    const cancelled = conversation.cancel();
    await time.advance(2000);
    await cancelled;
  }
  const said = log.filter(agentFinished.is).map(({ data }) => `${data.round} ${data.agent}`);
  const lost = unsaid.filter(({ round, agent }) => !said.includes(`${round} ${agent}`));
  return { problems: checkLog(log), lost, log, crashes, calls, state, recovered };
}

const plain = (state: Conversation["state"]): object => ({
  ...state,
  seen: [...state.seen],
  said: [...state.said],
  visited: [...state.visited],
});

describe("random conversations", () => {
  it(`keep every promise, whatever router, agents and crashes do (${String(SEEDS)} histories)`, async () => {
    const totals = { crashes: 0, calls: 0, rounds: 0, reflections: 0 };
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { problems, lost, log, crashes, calls, state, recovered } = await play(seed);
      expect({ seed, problems, lost }).toEqual({ seed, problems: [], lost: [] });
      expect(recovered, `seed ${String(seed)}`).toBe(state);
      totals.crashes += crashes;
      totals.calls += calls;
      totals.rounds += log.filter((event) => event.type === "event.recorded" && event.name === "round.opened").length;
      totals.reflections += log.filter(
        (event) => event.type === "phase.transition" && event.to === "reflection",
      ).length;
    }
    // The histories reach what they are about.
    expect(totals.crashes).toBeGreaterThan(SEEDS / 4);
    expect(totals.rounds).toBeGreaterThan(SEEDS * 3);
    expect(totals.reflections).toBeGreaterThan(0);
  }, 3_600_000);
});
