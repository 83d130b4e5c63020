import { createConversation, defineAgent } from "@phasekit/orchestrator";
import type { StoredRun } from "@phasekit/ledger";
import type { GoldenStory } from "./stories.ts";

/** Two agents, a router with a mistake, every quality gate, a question, and the child runs of the agents. */
export const conversationStory: GoldenStory = {
  name: "conversation",
  play: async ({ clock, createId, store }) => {
    let asked = false;
    let wrong = false;
    const executor = defineAgent({
      name: "executor",
      description: "writes the code",
      work: ({ phase }) => {
        if (phase !== "chat" || asked) return { text: `${phase} is done`, summary: `${phase} is done` };
        asked = true;
        return { text: "Which page?", question: "Which page?" };
      },
    });
    const planner = defineAgent({
      name: "planner",
      description: "plans",
      work: ({ phase }) => {
        if (phase === "plan") throw new Error("The planner failed.");
        return { text: `${phase} is planned` };
      },
    });
    const children: StoredRun[] = [];
    const conversation = createConversation({
      id: "conversation",
      agents: [executor, planner],
      clock,
      createId,
      onAgentRun: (run) => void children.push(store(run)),
      router: ({ phase, entry, lastRound, owed, allowed, unreflected }) => {
        if (!wrong) {
          wrong = true;
          return { agents: ["stranger"], reason: "A mistake of the router." };
        }
        if (lastRound?.entry !== entry)
          return {
            agents:
              phase === "reflection" ? [...unreflected] : phase === "plan" ? ["planner", "executor"] : ["executor"],
            reason: `${phase} is next`,
          };
        if (phase === "plan") return { agents: ["executor"], phase: "execute", reason: "The plan is written." };
        const due = owed.find((visit) => allowed.includes(visit));
        return due === undefined
          ? { agents: ["END"], reason: "nothing is owed" }
          : { agents: due === "reflection" ? [...unreflected] : ["executor"], phase: due, reason: `${due} is owed` };
      },
    });
    const kept = store(conversation.run);
    await conversation.send("hello");
    await conversation.move("plan", { by: "user", why: "Plan it first." });
    await conversation.send("Plan and build the login page.");
    if (conversation.run.outcome === undefined) await conversation.cancel({ by: "user", why: "The story ends here." });
    for (const child of children) await child.close();
    await kept.close();
  },
};
