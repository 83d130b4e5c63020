// A planning agent fetches in a read-only workspace, again and again, and its reviewer likes what it sees. Four layers
// end it: guidance that says why planning is read-only, a reminder after the first failure, nudges with the numbers,
// and a review that shows the loop and takes neither a bare approval nor praise for an answer.
import { antiThrash } from "@phasekit/coding";
import { createRun } from "@phasekit/core";
import { answerReview } from "@phasekit/core/adapter";
import assert from "node:assert/strict";

const run = createRun(antiThrash({ task: { id: "story-7", kind: "app", text: "Add a health endpoint." } }));
const architect = () => ({ verdict: "approve", feedback: "Your code looks good!" }) as const;
const read: string[] = [];
for (let turn = 1; turn <= 13; turn += 1) {
  const { message = "" } = await answerReview(run, run.beforeTurn(), architect);
  if (message !== "") console.log(`turn ${String(turn)}: ${message.split("\n")[1] ?? ""}`);
  const { call } = run.beforeTool({ tool: "shell", input: { command: "git fetch origin main" } });
  run.record({
    type: "tool.finished",
    call,
    outcome: "ok",
    output: { stderr: "Read-only file system", exit_code: 128 },
  });
  read.push(message);
}

assert.match(read[0] ?? "", /git fetch, git pull, git checkout and git clone are unnecessary/, "guidance on entry");
assert.match(read[1] ?? "", /A call failed \(Read-only file system\)\. You are in phase "plan"/, "the reminder");
assert.match(read[3] ?? "", /failed 3 times in the same way/, "the first nudge");
assert.match(
  read.join("\n"),
  /Guidance from the review: `shell git fetch origin main` failed/,
  "guidance of the review",
);
assert.doesNotMatch(read.join("\n"), /looks good/, "praise is not guidance");
