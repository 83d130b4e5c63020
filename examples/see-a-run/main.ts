// An agent tries the same failing command again and again. Its log becomes a page that shows where it looped, a text
// for a pull request, and a live view with the same content.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codingRun } from "@phasekit/coding";
import { storeRun, createMemoryStore, readRun } from "@phasekit/ledger";
import { overviewOf, overviewToMarkdown } from "@phasekit/report";
import { renderReport, serveRuns } from "@phasekit/report/node";

const store = createMemoryStore();
const run = codingRun({ id: "run-migrate", mode: "nudge", task: { text: "Add a column to the users table" } });
const stored = storeRun(run, store);

for (let turn = 0; turn < 6; turn += 1) {
  run.beforeTurn();
  run.record({ type: "model.answered", usage: { inputTokens: 1800, outputTokens: 90 } });
  const { call } = run.beforeTool({ tool: "Bash", input: { command: "npx prisma migrate dev" } });
  run.record({
    type: "tool.finished",
    call,
    outcome: "error",
    exitCode: 1,
    output: "P1001: Can't reach database server",
  });
}
run.end({ reason: "cancelled" });
await stored.close();

const events = await readRun(store, run.id);
const overview = overviewOf(events);
assert.equal(overview.loops[0]?.subject, "Bash npx prisma migrate dev");
assert.ok(overview.nudges.some(({ text }) => text.includes("npx prisma migrate dev")));
console.log(overviewToMarkdown(overview));

const folder = mkdtempSync(join(tmpdir(), "phasekit-example-"));
const page = renderReport([events]);
writeFileSync(join(folder, "report.html"), page);
assert.match(page, /<title>Add a column to the users table<\/title>/);
assert.doesNotMatch(page, /(?:src|href)="https?:/, "the page loads nothing");

// A browser opens `served.url`, whose one-time code it exchanges for the token. A program can choose the token itself.
const token: string = randomUUID();
const served = await serveRuns({ store, token });
const { origin } = new URL(served.url);
const answer = await fetch(`${origin}/api/runs/run-migrate`, { headers: { "x-phasekit-token": token } });
assert.deepEqual(((await answer.json()) as typeof overview).loops, overview.loops);
assert.equal((await fetch(`${origin}/api/runs`)).status, 401, "without the token there is nothing to see");
await served.close();
rmSync(folder, { recursive: true });
