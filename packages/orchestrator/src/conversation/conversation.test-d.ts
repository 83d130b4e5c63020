import { definePhaseGraph } from "@phasekit/core";
import { createConversation, type ConversationOptions, sevenPhases } from "../index.ts";

const agents = [{ name: "a", work: (): string => "x" }];
const router = (): string => "?";

// The phases are those of the preset, unless there is a graph.
const talk = createConversation({ agents, router });
void talk.move("verification");
// @ts-expect-error -- no phase of the preset
void talk.move("verifying");
// @ts-expect-error -- no phase of the preset
talk.skip("verifying", { why: "x" });

const graph = definePhaseGraph({
  name: "own",
  initial: "think",
  phases: { think: { next: ["act"] }, act: { next: [], final: true } },
});
const own = createConversation({ graph, agents, router, reflection: false, lessonPhases: ["act"] });
void own.move("act");
// @ts-expect-error -- the preset's phases are not those of this graph
void own.move("execute");
// @ts-expect-error -- a misspelt reflection phase
createConversation({ graph, agents, router, reflection: "akt" });
// @ts-expect-error -- a misspelt phase for lessons
createConversation({ graph, agents, router, lessonPhases: ["akt"] });

// @ts-expect-error -- a misspelt initial phase
createConversation({ graph, agents, router, initialPhase: "akt" });
createConversation({ graph, agents, router, initialPhase: "act" });
createConversation(sevenPhases({ agents, initialPhase: "plan" }));
// @ts-expect-error -- the phases of `sevenPhases` are those of the preset
sevenPhases({ agents, initialPhase: "act" });
// A function that takes only a prompt can be the model.
createConversation(sevenPhases({ agents, ask: (prompt: string) => Promise.resolve(prompt) }));

// The signal is the runtime's own.
export const work: ConversationOptions["agents"][number]["work"] = async ({ signal }) =>
  (await fetch("http://localhost", { signal })).text();
