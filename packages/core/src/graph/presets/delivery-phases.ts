import { definePhaseGraph, type PhaseEdge } from "../phase-graph.ts";

const PLANNING =
  "Your task now is to plan how the story will be developed, not to develop it. " +
  "You can read the code and the file system but not change them: once the plan is approved, a separate agent with " +
  "full access develops it, so nothing needs to be changed, installed or built here.\n" +
  "Understand how the code is built and what the story requires. " +
  "When you know enough, write a comprehensive plan and hand it in with submit_plan.\n" +
  "If you do not know how to continue, or keep running into errors, ask the architect for guidance with ask_for_help.";

// The policy `reminders` repeats these after a call that fails, so they are separate from the guidance.
const PLANNING_RULES = [
  "The workspace is current: setup cloned or updated the repository and put it on the right branch. " +
    "git fetch, git pull, git checkout and git clone are unnecessary, and they fail, because the file system is " +
    "read-only. Do not repeat a command that fails for that reason.",
  "Explore with commands that only read: ls, cat, find, grep, tree, docker --version.",
];

// The one who did the work does not approve it.
const REVIEWERS = ["judge", "user"] satisfies PhaseEdge["by"];

/**
 * The phases in which a coder delivers a story under the eyes of an architect: setup, plan, plan-review, code, test,
 * code-review, budget-review, merge. Planning is read-only and says why: an agent that only reads "read-only" tries
 * the same failing commands for hours. Reviews are left by a judge or a person; a budget review leads back to the
 * work it interrupted, with guidance.
 *
 * Waiting for a story, asking a question, being suspended, done and failed are not phases: a run is started, asks,
 * suspends and ends in any graph.
 */
export const deliveryPhases = /* @__PURE__ */ definePhaseGraph({
  name: "delivery",
  initial: "setup",
  phases: {
    setup: {
      purpose: "Prepare the workspace.",
      entry: ["A story is assigned"],
      work: ["Clone or update the repository", "Make a working branch for the story"],
      exit: ["The workspace holds the current files on the right branch"],
      // A small fix needs no plan.
      next: ["plan", "code"],
    },
    plan: {
      purpose: "Explore the code and hand in a plan for the story.",
      entry: ["The workspace is prepared", "A review asks for another plan"],
      work: ["Read the code and the requirements", "Find what the story touches", "Write the plan"],
      exit: ["A plan was handed in with submit_plan"],
      guidance: PLANNING,
      constraints: PLANNING_RULES,
      notes: [
        "You are on a fresh working branch that has no commits of its own yet.",
        "Git commands that look at history (git log, git rev-parse HEAD, git ls-tree) fail or report that there are " +
          "no commits. That is expected and does not mean that the workspace is broken.",
        "The files are there, taken from the base branch, and ready to explore: look at the file system " +
          "(ls, find, cat), not at the history.",
      ],
      agents: ["coder"],
      activities: { deny: ["edit", "vcs-write"] },
      next: ["plan-review", "budget-review"],
    },
    "plan-review": {
      purpose: "Decide whether the plan is good enough to develop.",
      entry: ["A plan was handed in"],
      work: ["Compare the plan with the story", "Look for risks and gaps"],
      exit: ["The plan is approved, or it is said what must change"],
      agents: ["architect"],
      waiting: true,
      next: [
        { to: "code", by: REVIEWERS },
        { to: "plan", by: REVIEWERS },
      ],
    },
    code: {
      purpose: "Develop the approved plan.",
      entry: ["The plan is approved", "Tests failed", "A review asks for changes", "The merge met conflicts"],
      work: ["Write the code", "Write its tests", "Resolve conflicts"],
      exit: ["The plan is carried out"],
      agents: ["coder"],
      next: ["test", "code-review", "budget-review"],
    },
    test: {
      purpose: "Run the build and the tests.",
      entry: ["The code is ready to be tried"],
      work: ["Build", "Run the tests", "Collect what failed"],
      exit: ["All tests pass, or the failures are known"],
      agents: ["coder"],
      next: ["code", "code-review"],
    },
    "code-review": {
      purpose: "Decide whether the change may be merged.",
      entry: ["The tests pass", "The coder considers the story complete"],
      work: ["Compare the change with the plan and the story", "Judge its quality"],
      exit: ["The change is approved, or it is said what must change"],
      agents: ["architect"],
      waiting: true,
      next: [
        { to: "merge", by: REVIEWERS },
        { to: "code", by: REVIEWERS },
      ],
    },
    "budget-review": {
      purpose: "Decide how to continue when planning or coding took more turns than it should.",
      entry: ["The turns of a phase are used up"],
      work: [
        "Tell progress from a loop",
        "Find out why calls fail",
        "Give guidance that names what to stop and what to do instead",
      ],
      exit: ["The work continues with specific guidance, or the run is abandoned"],
      agents: ["architect"],
      waiting: true,
      next: [
        { to: "plan", by: REVIEWERS },
        { to: "code", by: REVIEWERS },
      ],
    },
    merge: {
      purpose: "Bring the approved change into the main branch.",
      entry: ["The change is approved"],
      work: ["Commit and push", "Open a pull request", "Wait for the merge"],
      exit: ["The change is merged"],
      agents: ["coder"],
      // People merge it when they get to it.
      waiting: true,
      next: ["code"],
      final: true,
    },
  },
});
