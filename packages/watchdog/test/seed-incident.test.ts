import { createRun, definePhaseGraph, nameTableInterpreter, type RunEvent } from "@phasekit/core";
import { manualClock } from "@phasekit/core/testing";
import { expect, it } from "vitest";
import { reading } from "@phasekit/reading";
import { answerReviews, escalation, reminders, budgetReview, watchdog } from "../src/index.ts";

const graph = definePhaseGraph({
  name: "story",
  initial: "planning",
  phases: {
    planning: {
      next: ["coding"],
      purpose: "understand the code and write the plan.",
      constraints: ["the workspace is current, so fetching and checking out are unnecessary"],
      activities: { deny: ["edit", "vcs-write"] },
      maxTurns: 10,
    },
    coding: { next: [], final: true },
  },
});

const SUBJECTS =
  "routes handlers storage sessions queues retries caching logging metrics tracing limits tokens roles forms mail".split(
    " ",
  );

/** The agent of the incident: it fetches ten times in each cycle of ten turns, until a review says why not to. */
function createAgent(): {
  readonly next: (message: string | undefined) => { readonly tool: string; readonly command: string };
} {
  let convinced = false;
  let turn = 0;
  return {
    next: (message) => {
      turn += 1;
      convinced ||= message?.includes("Guidance from the review") === true;
      return convinced
        ? { tool: "shell", command: `cat docs/chapter-${String(turn)}.md` }
        : { tool: "shell", command: "git fetch origin main" };
    },
  };
}

it("ends the incident of seed 004: ten failing fetches per cycle, reviews without end", async () => {
  const run = createRun({
    graph,
    id: "coder-001",
    clock: manualClock({ step: 1 }).now,
    task: { id: "story-7", kind: "app", text: "Add a health endpoint." },
    interpret: [nameTableInterpreter(), reading()],
    policies: [watchdog(), escalation(), budgetReview(), reminders()],
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  const prompts: string[] = [];
  // The architect of the incident praises the code; sent back once, it does so again.
  answerReviews(run, {
    reviewer: ({ text }) => {
      prompts.push(text);
      return { verdict: "approve", feedback: "Your code looks good!" };
    },
    name: "architect",
  });
  const agent = createAgent();
  for (let turn = 0; turn < 40; turn += 1) {
    const { message, stop } = run.beforeTurn();
    if (stop !== undefined) break;
    await new Promise((settle) => {
      setTimeout(settle, 0);
    });
    run.record({ type: "model.answered" });
    const { tool, command } = agent.next(message);
    const answer = run.beforeTool({ tool, input: { cmd: command } });
    if (!answer.allow) continue;
    // This shell reports a failure as plain data.
    const output = command.startsWith("git")
      ? { stdout: "", stderr: "error: cannot open '.git/FETCH_HEAD': Read-only file system", exit_code: 128 }
      : { stdout: `About ${SUBJECTS[turn % SUBJECTS.length] ?? ""} in ${turn} pages`, stderr: "", exit_code: 0 };
    run.record({ type: "tool.finished", call: answer.call, outcome: "ok", output });
  }

  const fetches = log.filter(
    (event) => event.type === "tool.finished" && JSON.stringify(event.output).includes("Read-only"),
  );
  const afterFetch = (n: number) =>
    log.filter(({ seq }) => seq > (fetches[n - 1]?.seq ?? 0) && seq < (fetches[n]?.seq ?? Infinity));
  // The reminder comes after the first failure, before the next turn.
  const reminder = afterFetch(1).find((event) => event.type === "nudge.sent");
  expect(reminder).toMatchObject({ by: "reminders", applied: true });
  expect(reminder?.text).toMatchInlineSnapshot(`
    "A call failed (error: cannot open '.git/FETCH_HEAD': Read-only file system). You are in phase "planning", which is read-only: understand the code and write the plan.
    Not possible here: edit; vcs-write
    Keep in mind: the workspace is current, so fetching and checking out are unnecessary
    Do not try the same again. If you do not know how to continue, ask for guidance with \`ask_for_help\`."
  `);
  // The alert comes with the second failure.
  const alert = log.find((event) => event.type === "alert.raised");
  expect(alert).toMatchObject({ kind: "repeat", count: 2, cause: fetches[1]?.seq });
  // The review says ALERT, is sent back once, and then the agent gets the guidance the reviewer did not give.
  expect(prompts.slice(0, 3).map((prompt) => prompt.includes("**ALERT**"))).toEqual([true, true, false]);
  expect(prompts[1]).toContain("a second bare approval counts as needs-changes");
  const guidance = log.find((event) => event.type === "nudge.sent" && event.by === "review");
  expect(guidance?.type === "nudge.sent" && guidance.text).toMatchInlineSnapshot(
    `"Guidance from the review: \`shell git fetch origin main\` failed 11 times in the same way (error: cannot open '.git/FETCH_HEAD': Read-only file system). The file system is read-only here. Another try will fail too. Work where you may, or say what is missing."`,
  );
  // The loop has ended, and long before the 141st review.
  const last = log.findLast((event) => event.type === "tool.finished");
  expect(JSON.stringify(last?.type === "tool.finished" && last.output)).toContain("About");
  expect(run.view.alerts.size).toBe(0);
  expect(fetches.length).toBeLessThan(16);
  expect(prompts[0]).toMatchInlineSnapshot(`
    "# Review request

    The budget of the phase is used up. The run has taken 10 iterations and 10 turns in phase "planning"; a review is due after every 10. How should it continue?

    ## Task

    - Id: story-7
    - Kind: app

    Add a health endpoint.

    ## Plan

    None was declared.

    ## What the numbers say

    - High failure rate: 10 of 10 tool calls failed (100 %).
    - The same command failed again: \`shell git fetch origin main\`, 10 times among the last 10 calls.
    - Nudge to the agent: \`shell git fetch origin main\` failed 10 times in the same way (error: cannot open '.git/FETCH_HEAD': Read-only file system). The file system is read-only here. Another try will fail too. Work where you may, or say what is missing.

    **ALERT**: this is not going to resolve itself. Ask for changes and say which, or abandon the work; do not just approve.

    ## Recent context (14 messages, newest last; at most 8000 characters, about 2000 tokens)

    \`\`\`\`
    phasekit: You are in the phase "planning".
    - the workspace is current, so fetching and checking out are unnecessary
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    phasekit: A call failed (error: cannot open '.git/FETCH_HEAD': Read-only file system). You are in phase "planning", which is read-only: understand the code and write the plan.
    Not possible here: edit; vcs-write
    Keep in mind: the workspace is current, so fetching and checking out are unnecessary
    Do not try the same again. If you do not know how to continue, ask for guidance with \`ask_for_help\`.
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    phasekit: \`shell git fetch origin main\` failed 3 times in the same way (error: cannot open '.git/FETCH_HEAD': Read-only file system). The file system is read-only here. Another try will fail too. Work where you may, or say what is missing.
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    phasekit: \`shell git fetch origin main\` failed 6 times in the same way (error: cannot open '.git/FETCH_HEAD': Read-only file system). The file system is read-only here. Another try will fail too. Work where you may, or say what is missing.
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    shell git fetch origin main → [error] error: cannot open '.git/FETCH_HEAD': Read-only file system
    \`\`\`\`

    ## How to answer

    The agent explores and plans; it does not change anything yet. Look for:
    - commands that cannot work in this phase, repeated: say so, and name what to use instead;
    - many looks and no plan: ask for the plan, with what is known now;
    - a finding above: examine the errors in the recent context and name their cause.

    Answer with one of: approve, needs-changes, reject. While something above is marked ALERT, an approval without guidance is not accepted, and praise is not guidance. Give guidance in sentences of these forms:
    - Stop doing X, because Y.
    - X is unnecessary here, because Z.
    - Use W instead."
  `);
});
