// A planning agent fetches from a read-only workspace, again and again, and its reviewer likes what it sees. Four
// layers end it: a reminder after the first failure, an alert at the second, a nudge, and a review that does not take
// a bare approval for an answer.
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { createRun, definePhaseGraph, nameTableInterpreter, type RunEvent } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { answerReviews, escalation, reminders, budgetReview, watchdog } from "@phasekit/watchdog";

const graph = definePhaseGraph({
  name: "story",
  initial: "planning",
  phases: {
    planning: {
      next: ["coding"],
      purpose: "understand the code and write the plan.",
      constraints: ["the workspace is current, so fetching is unnecessary"],
      activities: { deny: ["edit"] },
      maxTurns: 6,
    },
    coding: { next: [], final: true },
  },
});

const run = createRun({
  graph,
  task: { id: "story-7", kind: "app", text: "Add a health endpoint." },
  interpret: [nameTableInterpreter(), reading()],
  policies: [watchdog(), escalation(), budgetReview(), reminders()],
});
const log: RunEvent[] = [];
run.subscribe((step) => {
  log.push(...step);
  for (const event of step) {
    if (event.type === "alert.raised")
      console.log(`  alert    ${event.kind}, ${String(event.count)} times (${event.severity})`);
    if (event.type === "nudge.sent" && event.guidance !== true)
      console.log(`  nudge    ${event.text.split("\n")[0] ?? ""}`);
    if (event.type === "nudge.sent" && event.by === "review") console.log(`  guidance ${event.text}`);
    if (event.type === "review.requested")
      console.log(`  review   asked${event.text.includes("**ALERT**") ? ", with an ALERT" : ""}`);
    if (event.type === "review.finished")
      console.log(`  review   ${event.verdict}: ${event.feedback ?? "(nothing more)"}`);
  }
});
answerReviews(run, { name: "architect", reviewer: () => ({ verdict: "approve" }) });

const SUBJECTS = ["routes", "handlers", "storage", "sessions", "queues", "retries", "caches", "logs", "metrics"];
let convinced = false;
let fetches = 0;
for (let turn = 1; turn <= 16; turn += 1) {
  const { message } = run.beforeTurn();
  await setImmediate(); // the reviewer answers meanwhile
  run.record({ type: "model.answered" });
  convinced ||= message?.includes("Guidance from the review") === true;
  const command = convinced ? `cat docs/chapter-${String(turn)}.md` : "git fetch origin main";
  console.log(`turn ${String(turn)}: ${command}`);
  const { allow, call } = run.beforeTool({ tool: "shell", input: { cmd: command } });
  if (!allow) continue;
  if (!convinced) fetches += 1;
  // The shell reports a failure as plain data: no error, only an exit code.
  const output = convinced
    ? { stdout: `About ${SUBJECTS[turn % SUBJECTS.length] ?? ""}.`, exit_code: 0 }
    : { stderr: "cannot open '.git/FETCH_HEAD': Read-only file system", exit_code: 128 };
  run.record({ type: "tool.finished", call, outcome: "ok", output });
}

const first = (type: RunEvent["type"], by?: string): number =>
  log.findIndex((event) => event.type === type && (by === undefined || ("by" in event && event.by === by)));
assert.ok(first("nudge.sent", "reminders") < first("alert.raised"), "the reminder comes before the alert");
assert.ok(first("alert.raised") < first("review.requested"), "the alert comes before the review");
assert.ok(first("nudge.sent", "review") > 0, "the agent gets the nudge of the review");
assert.equal(run.view.alerts.size, 0, "the loop has ended");
console.log(`The loop ended after ${String(fetches)} fetches.`);
