// Plays one short run per ending and prints the end of its log: docs/outcomes.md shows this output.
import assert from "node:assert/strict";
import { budget, codingPhases, createRun, type NewEvent, type Run, type RunEvent } from "@phasekit/core";
import { reading } from "@phasekit/reading";
import { testsFresh } from "@phasekit/tracker";

const edit: NewEvent = call("Edit", { file_path: "sum.ts", old_string: "a - b", new_string: "a + b" }, "edited");
const tests = call("Bash", { command: "npx jest" }, { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });

tell("Done, and verified by a gate", "done", [edit, tests, answer("stop", 9)]);
tell("Done, without a test after the last edit", "done_unverified", [tests, edit, answer("stop", 9)]);
tell("Cut off at the limit for output tokens", "answer_truncated", [edit, tests, answer("max_tokens", 8112)]);
tell("Filtered by the provider", "content_filtered", [edit, tests, answer("SAFETY", 0)]);
tell("Empty", "answer_empty", [edit, tests, answer("end_turn", 0)]);
tell("Ended for a reason that Phasekit does not know", "finish_unknown", [edit, tests, answer("glitch", 40)]);
tell("Given up by the host in the middle of an answer", "interrupted", [
  edit,
  { type: "model.failed", code: "aborted" },
]);
tell("Stopped by a budget, after a closing turn without tools", "token_limit", [
  { ...answer("tool_use", 0), usage: { inputTokens: 500_210, outputTokens: 120 } },
  edit,
  { type: "turn.started" },
  { ...answer("stop", 38), usage: { inputTokens: 900, outputTokens: 12 } },
]);

/** Plays events, ends the run without a reason, and prints what the log says about its end. */
function tell(title: string, reason: string, events: readonly NewEvent[]): void {
  const run: Run = createRun<string>({
    graph: codingPhases,
    interpret: reading(),
    policies: [testsFresh(), budget({ tokens: 500_000 })],
  });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const event of events) run.record(event);
  run.end();
  assert.equal(run.outcome?.reason, reason);
  console.log(`${title}:`);
  for (const event of log) {
    const line = toLine(event);
    if (line !== undefined) console.log(`  ${line}`);
  }
}

function call(tool: string, input: object, output: unknown): NewEvent {
  return { type: "tool.finished", tool, input, output, outcome: "ok" };
}

function answer(finishReason: string, textLength: number): NewEvent<"model.answered"> {
  return { type: "model.answered", finishReason, textLength, toolCalls: 0 };
}

function toLine(event: RunEvent): string | undefined {
  switch (event.type) {
    case "model.answered":
      return `model.answered finishReason=${event.finishReason ?? ""} textLength=${String(event.textLength)}`;
    case "model.failed":
      return `model.failed code=${event.code ?? ""}`;
    case "stop.requested":
      return `stop.requested by=${event.by} reason=${event.reason} how=${event.how}`;
    case "finish.vouched":
      return `finish.vouched gate=${event.gate} verdict=${event.verdict}: ${event.why ?? ""}`;
    case "finish.vetoed":
      return `finish.vetoed gate=${event.gate} applied=${String(event.applied)}: ${event.why ?? ""}`;
    case "run.finished":
      return `run.finished reason=${event.reason} verified=${String(event.verified)} outcome=${event.outcome}`;
    default:
      return undefined;
  }
}
