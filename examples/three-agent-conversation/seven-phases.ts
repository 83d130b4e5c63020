// The shortest team on the seven phases: one model routes and chooses the first phase, verification, chores and
// reflection are owed before the end, and every transition is on record. The model is scripted; the program is
// between the two lines.
import assert from "node:assert/strict";
import { ask, complete } from "./impatient-model.ts";

// ---
import { createConversation, defineAgent, sevenPhases } from "@phasekit/orchestrator";

const agents = ["project-manager", "planner", "executor"].map((name) =>
  defineAgent({
    name,
    work: async ({ prompt, phase }) => ({ text: await complete(prompt), passed: phase === "verification" }),
  }),
);
const conversation = createConversation(sevenPhases({ agents, ask }));

const { outcome } = await conversation.send("Rebuild the billing service.");
for (const { from, to, name, reason } of conversation.state.moves) console.log(`${from} → ${to} (${name}): ${reason}`);
console.log(outcome?.reason, outcome?.verified, [...conversation.cycle.reflections.keys()]);
// ---

assert.deepEqual(
  conversation.state.visits.map(({ phase }) => phase),
  ["chat", "plan", "execute", "verification", "chores", "reflection"],
);
assert.deepEqual([outcome?.reason, outcome?.verified], ["done", true]);
// Everybody who took part reflected once.
assert.deepEqual([...conversation.cycle.reflections.keys()], ["planner", "executor"]);
// The model tried to end after the work. It was refused, and what is owed was visited.
assert.deepEqual(
  conversation.state.rounds.map(({ by }) => by),
  ["router", "router", "fallback", "fallback", "fallback"],
);
