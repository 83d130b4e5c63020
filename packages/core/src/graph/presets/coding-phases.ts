import { definePhaseGraph } from "../phase-graph.ts";

/**
 * The phases of an agent that changes code: exploring, planning, acting, verifying, delivering; and
 * answering, for one that was asked a question. It describes and denies nothing:
 * an agent leaves planning by editing, so the edit must be possible, and what is inferred from activity needs no
 * instructions. Every phase is final, because a run that edits nothing may finish wherever it is.
 *
 * There is no move from acting or verifying straight to planning: agents keep their list of todos up to date while they
 * work, and that is not planning anew. Who really starts over looks around first.
 */
export const codingPhases = /* @__PURE__ */ definePhaseGraph({
  name: "coding",
  initial: "exploring",
  phases: {
    exploring: {
      purpose: "Find out how the code works and where the task touches it.",
      entry: ["A run begins", "What was tried failed for a reason that is not understood yet"],
      work: ["Read files", "Search the code", "Gather what is needed to decide"],
      exit: ["Enough is known to say what to change"],
      // Only what is inferred goes straight to verifying: a reproduction is tried out before anything is changed.
      next: ["planning", "acting", "delivering", "answering", { to: "verifying", by: ["policy"] }],
      final: true,
    },
    planning: {
      purpose: "Settle what to change, and in which order.",
      entry: ["The change is large enough to need an order", "The agent uses a planning tool or declares a plan"],
      work: ["Write down the steps", "Weigh the ways to do it"],
      exit: ["The next edit follows from the plan"],
      next: ["acting", "exploring", "delivering", "answering"],
      final: true,
    },
    acting: {
      purpose: "Make the change.",
      entry: ["The first edit", "Verification showed that more must be fixed"],
      work: ["Edit files", "Write new code"],
      exit: ["The change is ready to be tried"],
      next: ["verifying", "exploring", "delivering", "answering"],
      final: true,
    },
    verifying: {
      purpose: "Show that the change works.",
      entry: ["Tests, a build or a check are run after an edit"],
      work: ["Run the tests", "Build", "Try out what was changed"],
      exit: ["The checks pass, or it is clear what they ask for"],
      next: ["acting", "exploring", "delivering", "answering"],
      final: true,
    },
    delivering: {
      purpose: "Hand the change over.",
      entry: ["The change is committed, pushed, proposed, released or written about"],
      work: ["Commit", "Push", "Open a pull request", "Comment"],
      exit: ["The change is where the user wants it, or more must be changed"],
      next: ["acting", "verifying", "exploring", "planning", "answering"],
      final: true,
    },
    answering: {
      purpose: "Answer the user's question.",
      entry: ["The agent finishes with an answer, and changed nothing for it"],
      work: ["Say what was found"],
      exit: ["The user asks for something else"],
      next: ["exploring", "planning", "acting", "verifying", "delivering"],
      final: true,
    },
  },
  inferred: {
    exploring: ["read", "search"],
    planning: ["plan"],
    acting: ["edit"],
    verifying: ["test", "build", "lint"],
  },
});
