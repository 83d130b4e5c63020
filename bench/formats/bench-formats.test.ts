import { checkEvent, playRun } from "@phasekit/core";
import { parseTranscript, type Transcript } from "@phasekit/transcripts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsToLines } from "../../packages/transcripts/test/event-lines.ts";
import { benchFormats } from "./bench-formats.ts";

const folder = join(import.meta.dirname, "fixtures");
const parse = (input: unknown, name = "unnamed"): Transcript => parseTranscript(input, { name, formats: benchFormats });
const read = (file: string): Transcript => parse(readFileSync(join(folder, file), "utf8"));
const linesOf = ({ runs }: Transcript): readonly string[] => runs.flatMap((run) => eventsToLines(run));
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

describe("research formats", () => {
  it.each([
    { file: "agents-study.json", format: "agents-study" },
    { file: "group-chat.json", format: "group-chat" },
    { file: "intercode.json", format: "intercode" },
    { file: "mint.jsonl", format: "mint" },
    { file: "notebook-history.ipynb", format: "notebook-history" },
    { file: "tau-bench.json", format: "tau-bench" },
    { file: "tau2-bench.json", format: "tau-bench" },
  ])("$file is detected as $format, read whole, and accepted by a run", ({ file, format }) => {
    const { report, runs } = read(file);
    expect(report).toMatchObject({ format, unknown: {}, broken: {}, orphans: 0 });
    for (const run of runs) {
      expect(run.events.flatMap((event) => checkEvent(event))).toEqual([]);
      expect(playRun(run).outcome).toBeDefined();
    }
  });

  it("have a fixture each, and no other file", () => {
    expect(readdirSync(folder)).toHaveLength(7);
  });

  it("group chat: agents by name, code run by a terminal, a verdict from outside", () => {
    expect(show(read("group-chat.json"))).toMatchInlineSnapshot(`
      "== unnamed: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 30 characters, 1 calls
      message.sent: I test.
      \`\`\`python
      print(1)
      \`\`\`
      call execute_code {"code":"print(1)\\n"}
      error execute_code "boom"
      turn.started
      answered: 5 characters, 0 calls
      message.sent: Done.
      finish: Done.
      -- {"judged":{"success":false,"by":"ground truth"}}"
    `);
  });

  it("MINT: code between tags, endings by name", () => {
    expect(show(read("mint.jsonl"))).toMatchInlineSnapshot(`
      "== sum-1: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call python {"code":"cat sum.ts"}
      ok python "return a - b;"
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I edit.
      call python {"code":"sed -i s/-/+/ sum.ts"}
      ok python ""
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I test.
      call python {"code":"npm test"}
      ok python "1 passed"
      turn.started
      answered: 0 characters, 0 calls
      finish: Done.
      -- {"status":"task_success","reason":"done","judged":{"success":true,"by":"MINT"}}
      == sum-2: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call python {"code":"cat sum.ts"}
      ok python "return a - b;"
      -- {"status":"max_steps","reason":"step_limit","judged":{"success":false,"by":"MINT"}}"
    `);
  });

  it("tau-bench: the user ends the talk, rewards are verdicts", () => {
    expect(show(read("tau-bench.json"))).toMatchInlineSnapshot(`
      "== unnamed: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call read_file {"path":"sum.ts"}
      ok read_file "return a - b;"
      turn.started
      answered: 0 characters, 2 calls
      call edit_file {"path":"sum.ts","text":"return a + b;"}
      call run_tests {}
      ok edit_file "edited"
      error run_tests "1 failed"
      turn.started
      answered: 0 characters, 1 calls
      call run_tests {}
      ok run_tests "1 passed"
      turn.started
      answered: 5 characters, 0 calls
      message.sent: Done.
      message.received: Thanks! ###STOP###
      finish: Done.
      -- {"judged":{"success":true,"by":"reward 1"},"status":"the user stopped"}
      == unnamed#2: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call read_file {"path":"sum.ts"}
      ok read_file "return a - b;"
      -- {"judged":{"success":false,"by":"reward 0"},"reason":"interrupted","open":true}"
    `);
  });

  it("notebooks: steps of the user are left out", () => {
    expect(show(read("notebook-history.ipynb"))).toMatchInlineSnapshot(`
      "== unnamed: Fix the sum.
      message.received: Fix the sum.
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call execute {"code":"cat sum.ts"}
      ok execute "return a - b;"
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I edit.
      call execute {"code":"sed -i s/-/+/ sum.ts"}
      ok execute ""
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I test.
      call execute {"code":"npm test"}
      ok execute "1 passed"
      turn.started
      answered: 5 characters, 0 calls
      message.sent: Done.
      finish: Done.
      -- {}"
    `);
  });

  it("agents study: calls printed by Python", () => {
    expect(show(read("agents-study.json"))).toMatchInlineSnapshot(`
      "== sum-1 (openhands): no task
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I look.
      call execute_bash {"command":"cat sum.ts"}
      ok execute_bash "return a - b;"
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I edit.
      call execute_bash {"command":"sed -i s/-/+/ sum.ts"}
      ok execute_bash ""
      turn.started
      answered: 7 characters, 1 calls
      message.sent: I test.
      call execute_bash {"command":"npm test"}
      ok execute_bash "1 passed"
      turn.started
      answered: 5 characters, 1 calls
      message.sent: Done.
      call finish {"command":""}
      ok finish ""
      finish: Done.
      -- {}"
    `);
  });

  it("tau²-bench: usage and times of every answer", () => {
    const { runs } = read("tau2-bench.json");
    const answers = runs[0]?.events.filter((event) => event.type === "model.answered") ?? [];
    expect(runs[0]?.id).toBe("sim-1");
    expect(answers.map(({ at, usage }) => at !== undefined && usage !== undefined)).toEqual([true, true, true, true]);
  });

  it("InterCode: runs that hit their limit", () => {
    expect(read("intercode.json").runs.map(({ id, ending: { reason, judged } }) => ({ id, reason, judged })))
      .toMatchInlineSnapshot(`
      [
        {
          "id": "ic_bash/0",
          "judged": {
            "by": "reward 1",
            "success": true,
          },
          "reason": undefined,
        },
        {
          "id": "ic_bash/1",
          "judged": {
            "by": "reward 0",
            "success": false,
          },
          "reason": "step_limit",
        },
      ]
    `);
  });
});

describe("intercode", () => {
  it("knows a submission the benchmark made itself, when the turns ran out", () => {
    const { runs } = parse({
      0: {
        environment: "ic_bash",
        query: "Count.",
        turn_history: {
          actions: ["execute[ls]", "submit"],
          observations: ["a", ""],
          thoughts: ["I look.", "EXCEEDED MAX TURNS: submit"],
        },
        summary: { max_reward: 0 },
      },
    });
    expect(runs[0]?.ending).toMatchObject({
      reason: "step_limit",
      status: "EXCEEDED MAX TURNS",
      judged: { success: false },
    });
    expect(runs[0]?.events.filter(({ type }) => type === "turn.started" || type === "finish.requested")).toHaveLength(
      1,
    );
  });
});

describe("agents-study", () => {
  it("reads actions written as code, several in a step, and one that is only a word", () => {
    const actions =
      'Thought at Iteration 0: I search.\nAction at Iteration 0: search_class("A"), search_method("b")\n\nThought at Iteration 1: I think.\nAction at Iteration 1: Analyze\n';
    const results = "Result at Iteration 0: found\nAction at Iteration 1: Analyze\n\nResult at Iteration 1: nothing\n";
    expect(
      linesOf(
        parse({
          agent: "autocoderover",
          instance: "i",
          parts: { thoughts_actions: { text: actions }, results_actions: { text: results } },
        }),
      ),
    ).toMatchInlineSnapshot(`
      [
        "turn.started",
        "answered: 9 characters, 2 calls",
        "message.sent: I search.",
        "call search_class {"arguments":"\\"A\\""}",
        "call search_method {"arguments":"\\"b\\""}",
        "ok search_class "found"",
        "ok search_method """,
        "turn.started",
        "answered: 8 characters, 1 calls",
        "message.sent: I think.",
        "call analyze {"action":"Analyze"}",
        "ok analyze "nothing"",
      ]
    `);
  });

  it.each([
    { name: "a call that ends the work", action: "{'name': 'write_patch', 'args': {}}", result: "x", ends: true },
    {
      name: "a result with nothing behind it",
      action: "{'name': 'run', 'args': {}}",
      result: "x; Next action: END",
      ends: true,
    },
    { name: "neither", action: "{'name': 'run', 'args': {}}", result: "x; Next action: run", ends: false },
  ])("ends by itself after $name: $ends", ({ action, result, ends }) => {
    const { runs } = parse({
      agent: "a",
      instance: "i",
      parts: {
        thoughts_actions: { text: `Iteration 0: Thought=I act.; Action=${action}` },
        results_actions: { text: `Result at iteration 0: ${result}` },
      },
    });
    expect(runs[0]?.ending.reason).toBe(ends ? undefined : "interrupted");
  });
});
