import { codingRun, type CodingPhase, codingRunOptions, type CodingRunOptions } from "@phasekit/coding";
import type { Run } from "@phasekit/core";
import { answerReviews } from "@phasekit/watchdog";
import { setImmediate } from "node:timers/promises";
import type { GoldenStory, StoryTools } from "./stories.ts";

type CodingRun = Run<CodingPhase>;

/** Runs of `codingRun()` in all three modes, with everything its default policies do. */
export const codingStories: readonly GoldenStory[] = [
  story(
    "coding-clean",
    { mode: "nudge", task: { id: "T-1", kind: "bug", text: "sum(2, 3) returns -1. Fix it." } },
    (run) => {
      call(run, ["Read", { file_path: "src/sum.ts" }], "export const sum = (a, b) => a - b;");
      call(run, ["Edit", { file_path: "src/sum.ts", old_string: "a - b", new_string: "a + b" }], "edited");
      call(run, ["Bash", { command: "npx vitest run" }], { exitCode: 0, stdout: " Tests  3 passed (3)" });
      run.record({ type: "message.sent", text: "Fixed the sign. ünïcödé 💡 is kept." });
      run.beforeFinish({ text: "done" });
      run.end({ summary: "The sign is fixed." });
    },
  ),
  story("coding-vetoes", { mode: "gate", task: { text: "Make sum add." } }, (run) => {
    call(run, ["Read", { file_path: "src/sum.ts" }], "export const sum = (a, b) => a - b;");
    call(run, ["Edit", { file_path: "src/sum.ts", old_string: "a - b", new_string: "a + c" }], "edited");
    run.beforeFinish({ text: "done" });
    call(run, ["Bash", { command: "npx jest" }], { exitCode: 1, stdout: "Tests:       1 failed, 2 passed, 3 total" });
    run.beforeFinish({ text: "done" });
    run.beforeFinish({ text: "done, really" });
    call(
      run,
      ["Edit", { file_path: "src/sum.test.ts", old_string: "expect(sum(1, 2)).toBe(3);", new_string: "" }],
      "edited",
    );
    run.beforeFinish();
    run.waive("tests-kept", { by: "user", name: "Ada", why: "The case moved to another file." });
    call(run, ["Bash", { command: "npx jest" }], { exitCode: 0, stdout: "Tests:       2 passed, 2 total" });
    run.beforeFinish();
    run.end();
  }),
  story("coding-loop", { mode: "gate", task: { text: "Add a health endpoint." } }, async (run) => {
    answerReviews(run, {
      name: "architect",
      reviewer: () => ({ verdict: "needs-changes", feedback: "Stop fetching. Read docs/health.md instead." }),
    });
    for (let turn = 1; turn <= 14 && run.view.stopped === undefined; turn += 1) {
      const output = { stderr: "cannot open '.git/FETCH_HEAD': Read-only file system", exit_code: 128 };
      call(run, ["Bash", { command: "git fetch origin main" }], output);
      await setImmediate();
    }
    for (let turn = 1; turn <= 3; turn += 1)
      call(run, ["Read", { file_path: `docs/part-${String(turn)}.md` }], `Part ${String(turn)}.`);
    run.end({ reason: "abandoned", summary: "The workspace is read-only." });
  }),
  story("coding-observe", { mode: "observe", task: { text: "Look around." } }, (run) => {
    for (let turn = 1; turn <= 18; turn += 1)
      call(run, ["Read", { file_path: `src/file-${String(turn % 5)}.ts` }], "export {};");
    run.record({ type: "todos.updated", todos: [{ id: "1", text: "Read everything", status: "in_progress" }] });
    run.record({ type: "plan.declared", text: "Read, then edit.", steps: 2 });
    run.record({ type: "question.asked", question: "Which file?" });
    run.record({ type: "message.received", text: "The third one.", from: "Ada" });
    run.record({ type: "workspace.observed", hash: "abc", filesChanged: 1, linesAdded: 2, paths: ["src/file-3.ts"] });
    run.beforeFinish({ canVeto: false });
    run.end();
  }),
  story("coding-budget", { budget: { turns: 6, tokens: 5000 }, task: { text: "Refactor the parser." } }, (run) => {
    for (let turn = 1; turn <= 8; turn += 1) {
      const answer = run.beforeTurn({ agent: "coder", prompt: "Continue." });
      if (answer.stop !== undefined) break;
      run.record({
        type: "model.answered",
        model: "scripted-1",
        ...(turn === 3 ? {} : { usage: { inputTokens: 600, outputTokens: 80, cachedInputTokens: 200, cost: 0.002 } }),
        finishReason: "tool-calls",
        durationMs: 40,
      });
      const { call: id } = run.beforeTool({
        tool: "Edit",
        input: { file_path: `src/p${String(turn)}.ts`, new_string: "x" },
      });
      run.record({ type: "tool.finished", call: id, outcome: "ok", output: "edited", durationMs: 3 });
    }
    run.end();
  }),
  story("coding-stream", { task: { text: "Explain the parser." } }, (run) => {
    run.beforeTurn();
    for (let piece = 0; piece < 60; piece += 1) run.text("I will now look at the parser again. ");
    run.record({ type: "message.sent", text: "I will now look at the parser again. ".repeat(60) });
    run.record({
      type: "model.failed",
      status: 529,
      code: "overloaded_error",
      message: "Overloaded",
      inBody: true,
      attempt: 1,
    });
    run.record({ type: "quota.observed", remaining: 2, limit: 50, unit: "requests" });
    run.record({ type: "validation.failed", path: "input.path", expected: "string", attempt: 1, tool: "Read" });
    run.end({
      error: Object.assign(new Error("Overloaded, key sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"), {
        status: 529,
      }),
    });
  }),
  story("coding-children", { task: { text: "Split the work." } }, (run, { store, createId }) => {
    const { call: id } = run.beforeTool({ tool: "Task", input: { prompt: "Find the parser." } });
    const child = run.child({ id: createId(), call: id, task: { text: "Find the parser." } });
    const kept = store(child);
    child.beforeTurn();
    child.record({ type: "model.answered", usage: { inputTokens: 50, outputTokens: 5 } });
    child.record({
      type: "tool.finished",
      tool: "Grep",
      input: { pattern: "parse" },
      outcome: "ok",
      output: "src/parse.ts",
    });
    child.beforeFinish();
    child.end();
    run.record({ type: "tool.finished", call: id, outcome: "ok", output: "src/parse.ts" });
    const stopped = run.child({ id: createId(), task: { text: "Never ends." } });
    const other = store(stopped);
    stopped.beforeTurn();
    run.end();
    return Promise.all([kept.close(), other.close()]).then(() => undefined);
  }),
  {
    name: "coding-resumed",
    play: async ({ clock, createId, store, resume }) => {
      const options: CodingRunOptions = {
        clock,
        createId,
        id: "coding-resumed",
        mode: "gate",
        task: { text: "Survive a crash." },
      };
      const first = codingRun(options);
      const kept = store(first);
      call(first, ["Edit", { file_path: "src/a.ts", new_string: "1" }], "edited");
      first.beforeTurn();
      first.end({ reason: "interrupted", error: new Error("The process was stopped.") });
      await kept.close();
      const { run, stored: again } = await resume("coding-resumed", codingRunOptions(options));
      call(run, ["Bash", { command: "npm test" }], { exitCode: 0, stdout: "# tests 4\n# pass 4\n# fail 0" });
      run.beforeFinish();
      run.end();
      await again.close();
    },
  },
];

function story(
  name: string,
  options: CodingRunOptions,
  play: (run: CodingRun, tools: StoryTools) => void | Promise<void>,
): GoldenStory {
  return {
    name,
    play: async (tools) => {
      const run = codingRun({ id: name, clock: tools.clock, createId: tools.createId, ...options });
      const stored = tools.store(run);
      await play(run, tools);
      await stored.close();
    },
  };
}

/** One turn with one tool call. */
function call(run: CodingRun, [tool, input]: readonly [tool: string, input: object], output: unknown): void {
  run.beforeTurn();
  run.record({ type: "model.answered", usage: { inputTokens: 100, outputTokens: 10 }, toolCalls: 1 });
  const answer = run.beforeTool({ tool, input });
  if (answer.allow) run.record({ type: "tool.finished", call: answer.call, outcome: "ok", output });
}
