import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseTranscript, type Transcript } from "../src/index.ts";
import { eventsToLines } from "./event-lines.ts";

const read = (file: string): Transcript =>
  parseTranscript(readFileSync(join(import.meta.dirname, "fixtures", file), "utf8"), { name: "unnamed" });
const show = ({ runs }: Transcript): string =>
  runs
    .map((run) =>
      [
        `== ${run.id}${run.agent === undefined ? "" : ` (${run.agent})`}: ${run.task?.text ?? "no task"}`,
        ...eventsToLines(run),
        `-- ${JSON.stringify({ ...run.ending, at: undefined })}`,
      ].join("\n"),
    )
    .join("\n");

describe("formats that tell less, or more than one run", () => {
  it("aider: sessions, and edits it applied", () => {
    expect(show(read("aider.md"))).toMatchInlineSnapshot(`
      "== unnamed (aider v0.80.0): Fix the sum.
      It subtracts.
      message.received: Fix the sum.
      It subtracts.
      turn.started
      answered: 103 characters, 1 calls
      message.sent: I change the sign.

      sum.ts
      \`\`\`ts
      <<<<<<< SEARCH
      return a - b;
      =======
      return a + b;
      >>>>>>> REPLACE
      \`\`\`
      call edit_file {"path":"sum.ts"}
      ok edit_file "Applied edit."
      finish: I change the sign.

      sum.ts
      \`\`\`ts
      <<<<<<< SEARCH
      return a - b;
      =======
      return a + b;
      >>>>>>> REPLACE
      \`\`\`
      -- {}
      == unnamed#2 (aider v0.80.0): Thanks.
      message.received: Thanks.
      turn.started
      answered: 16 characters, 0 calls
      message.sent: You are welcome.
      finish: You are welcome.
      -- {}"
    `);
  });

  it("cline: calls without their results, a call the user did not want, a question", () => {
    const transcript = read("cline.json");
    expect(show(transcript)).toMatchInlineSnapshot(`
      "== unnamed (Cline): Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call read_file {"path":"sum.ts"}
      todos.updated
      ok read_file ""
      turn.started
      answered: 0 characters, 1 calls
      call replace_in_file {"path":"sum.ts","diff":"- a - b\\n+ a + b"}
      ok replace_in_file ""
      turn.started
      answered: 0 characters, 1 calls
      call execute_command {"command":"npm publish"}
      denied execute_command ""
      message.received: Do not publish, run the tests.
      turn.started
      answered: 0 characters, 1 calls
      call execute_command {"command":"npm test"}
      ok execute_command "> test\\n1 passed"
      turn.started
      answered: 0 characters, 0 calls
      finish: Done.
      move.requested
      move.requested
      message.received: Thanks. Is it fast?
      turn.started
      answered: 22 characters, 0 calls
      message.sent: How fast should it be?
      finish: How fast should it be?
      -- {}"
    `);
    expect(transcript.report).toMatchObject({ unknown: {}, answers: 6, answersWithUsage: 6 });
    expect(transcript.runs[0]?.events.find(({ type }) => type === "model.answered")).toMatchObject({
      model: "model-1",
      usage: { inputTokens: 150, outputTokens: 10, cachedInputTokens: 50, cost: 0.01 },
    });
  });

  it("OpenHands: calls written as text", () => {
    expect(show(read("openhands-text-calls.json"))).toMatchInlineSnapshot(`
      "== unnamed (OpenHands): Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call read_file {"path":"sum.ts"}
      ok read_file "return a - b;"
      turn.started
      answered: 0 characters, 1 calls
      call edit_file {"path":"sum.ts","text":"return a + b;"}
      ok edit_file "edited"
      turn.started
      answered: 0 characters, 1 calls
      call run_tests {}
      error run_tests "ERROR:\\n1 failed"
      turn.started
      answered: 0 characters, 1 calls
      call run_tests {}
      ok run_tests "1 passed"
      turn.started
      answered: 5 characters, 0 calls
      message.sent: Done.
      finish: Done.
      -- {}"
    `);
  });

  it("OpenHands: runs that hit their limit", () => {
    expect(
      read("openhands-output.jsonl").runs.map(({ id, ending: { reason, status, judged } }) => ({
        id,
        reason,
        status,
        judged,
      })),
    ).toMatchInlineSnapshot(`
      [
        {
          "id": "sum-1",
          "judged": {
            "by": "benchmark",
            "success": true,
          },
          "reason": undefined,
          "status": undefined,
        },
        {
          "id": "sum-2",
          "judged": undefined,
          "reason": "step_limit",
          "status": "RuntimeError: Agent reached maximum iteration in headless mode. Current iteration: 3, max iteration: 3",
        },
      ]
    `);
  });
});
