import { definePhaseGraph } from "../phase-graph.ts";

/**
 * The seven phases of a conversation between a person and several agents, from a first question to what was learned.
 * What was executed is verified, a successful verification is followed by chores, and chores by reflection: each is
 * owed before the conversation ends.
 *
 * A conversation may end in chat, brainstorm and plan, since a talk, some ideas or a plan can be all that was wanted,
 * and in reflection, where a full cycle ends. It may not end in the phases between, whose work is not closed there. A
 * chat in the middle of a cycle does not get around that: the visits that are owed stay owed.
 *
 * Chat and brainstorm wait for the person, who may take a day to answer.
 *
 * Going from reflection to chat starts a new cycle. The move says so and not the phase, because chat is also entered in
 * the middle of a cycle, where nothing may be forgotten.
 */
export const conversationPhases = /* @__PURE__ */ definePhaseGraph({
  name: "conversation",
  initial: "chat",
  phases: {
    chat: {
      purpose: "Find out what the person wants.",
      entry: ["A request is unclear, or can be read in several ways"],
      work: ["Clarify what is intended", "Ask for context that is missing", "Have the requirements confirmed"],
      exit: ["The requirements are clear enough to act on"],
      agents: ["project-manager"],
      constraints: [
        "Do not analyse the code base.",
        "Do not start to implement.",
        "Keep to understanding what is wanted.",
      ],
      waiting: true,
      next: ["execute", "plan", "brainstorm"],
      final: true,
    },
    brainstorm: {
      purpose: "Explore ideas freely.",
      entry: ["The question is open-ended", "The person wonders what would happen if"],
      work: ["Explore what is possible", "Produce alternatives", "Look for unusual solutions"],
      exit: ["The person asks to move on"],
      agents: ["project-manager", "domain experts"],
      constraints: [
        "Leave the discussion open.",
        "Do not hurry towards one solution.",
        "Ask questions that dig deeper.",
      ],
      waiting: true,
      next: ["chat", "plan", "execute"],
      final: true,
    },
    plan: {
      purpose: "Design the solution before it is built.",
      entry: ["The task is complex and needs decisions about its design"],
      work: ["Write technical specifications", "Design the architecture", "Lay out how it will be implemented"],
      exit: ["The plan is approved and can be executed"],
      agents: ["planner"],
      constraints: [
        "Design the system; do not implement it.",
        "Plan only what is truly complex.",
        "Produce a plan that the executor can carry out.",
      ],
      next: ["execute"],
      final: true,
    },
    execute: {
      purpose: "Do the work.",
      entry: ["The requirements are clear and can be acted on"],
      work: ["Write code", "Change files", "Run commands", "Build what was asked for"],
      exit: ["The implementation is complete"],
      agents: ["executor"],
      constraints: [
        "Use the tools that fit the task.",
        "Deliver what was asked for.",
        "Explain the decisions that matter.",
      ],
      next: ["verification", "chat"],
    },
    verification: {
      purpose: "Check that the work does what it should.",
      entry: ["Execution is complete"],
      work: ["Try the functionality", "Compare it with the requirements", "Find what is wrong"],
      exit: ["The work is verified, or its issues are known"],
      agents: ["executor", "project-manager"],
      constraints: [
        "Look at what it does.",
        "Test it the way its user would.",
        "Report issues so that they can be reproduced.",
      ],
      next: ["chores", "execute", "chat"],
    },
    chores: {
      purpose: "Tidy up and document.",
      entry: ["Verification succeeded"],
      work: [
        "Bring the documentation up to date",
        "Format the code",
        "Remove what was temporary",
        "Put the files in order",
      ],
      exit: ["Everything is tidy"],
      agents: ["executor"],
      constraints: ["Keep to the work just done.", "Keep the project in order.", "See that it is documented."],
      next: ["reflection"],
    },
    reflection: {
      purpose: "Keep what was learned.",
      entry: ["Chores are complete"],
      work: [
        "Write down lessons",
        "Keep insights about this project",
        "Notice patterns",
        "Think about how the work was done",
      ],
      exit: ["Every agent that took part has reflected"],
      agents: ["every agent that took part"],
      constraints: [
        "Reflect once.",
        "Keep to lessons that change what is done next time.",
        "Leave out the trivial.",
        "Keep to insights about this project.",
      ],
      next: [{ to: "chat", fresh: true }],
      final: true,
    },
  },
  required: [
    { after: "execute", visit: "verification", before: "end" },
    { after: "verification", visit: "chores", before: "end", when: "completed" },
    { after: "chores", visit: "reflection", before: "end" },
  ],
});
