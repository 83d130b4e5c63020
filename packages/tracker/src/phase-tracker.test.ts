import { codingPhases, createRun, definePhaseGraph, type RunEvent } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { bash, codingRun, edit, endlessReads, finished, read, reading, type Step } from "../test/coding-run.ts";
import { phaseTracker } from "./phase-tracker.ts";
import { trackerState } from "./tracker-state.ts";

const red = bash("npx jest", "Tests:       1 failed, 2 passed, 3 total", false);
const green = bash("npx jest", { exitCode: 0, stdout: "Tests:       3 passed, 3 total" });
const todo = (status: string, ...steps: readonly string[]): Step => ({
  tool: "TodoWrite",
  args: { todos: steps.map((content) => ({ content, status })) },
});
const reproduce: Step = {
  tool: "str_replace_editor",
  args: { command: "create", path: "/w/reproduce.py", file_text: "import x" },
};

describe("phaseTracker", () => {
  it.each<[what: string, steps: readonly Step[], phases: readonly string[]]>([
    ["reading stays exploring", [read("a"), read("b"), bash("ls")], []],
    ["the first edit leads to acting", [read("a"), edit("a")], ["acting"]],
    ["a shell that edits, too", [bash("sed -i s/a/b/ a.ts")], ["acting"]],
    ["an edit that failed is acting, too", [{ ...edit("a"), ok: false }], ["acting"]],
    ["an edit that did not land is", [{ ...edit("a"), output: "Error: String to replace not found" }], ["acting"]],
    ["an edit that was denied is not", [{ ...edit("a"), denied: true }], []],
    [
      "a look behind an edit that did not land is exploring",
      [edit("b"), { ...edit("a"), ok: false }, read("a")],
      ["acting", "exploring"],
    ],
    [
      "once something is changed it shows what the agent is at",
      [edit("a"), green, { ...edit("a"), ok: false }],
      ["acting", "verifying", "acting"],
    ],
    [
      "an edit that is tried again is acting",
      [
        { ...edit("a"), ok: false },
        { ...edit("a"), ok: false },
      ],
      ["acting"],
    ],
    [
      "code of one's own is a reproduction, even before an edit",
      [read("a"), bash("python -c 'from app import f; print(f(1))'"), read("b")],
      ["verifying", "exploring"],
    ],
    ["before anything was looked at it is not", [bash("python -c 'print(sum(range(9)))'")], []],
    [
      "code that only asks for a version is a look",
      [edit("a"), green, bash("python -c 'import app; print(app.__version__)'")],
      ["acting", "verifying"],
    ],
    ["tests before any edit lead nowhere", [bash("npm test", "1 failed"), bash("npm test", "1 failed")], []],
    ["tests after an edit lead to verifying", [edit("a"), green], ["acting", "verifying"]],
    ["so does a build", [edit("a"), bash("npm run build")], ["acting", "verifying"]],
    ["so does running the program", [edit("a"), bash("python app.py")], ["acting", "verifying"]],
    ["an installation does not", [edit("a"), bash("npm install react@latest")], ["acting"]],
    [
      "nor does administration",
      [edit("a"), bash("mkdir -p dist"), bash("git checkout -b fix"), bash('echo "npm test"')],
      ["acting"],
    ],
    ["a commit is delivering", [edit("a"), bash("git add -A && git commit -m x")], ["acting", "delivering"]],
    ["so is a pull request", [edit("a"), green, bash("gh pr create --fill")], ["acting", "verifying", "delivering"]],
    [
      "a commit that fails is not",
      [edit("a"), green, bash("git commit -m x", { exitCode: 1 }, false)],
      ["acting", "verifying"],
    ],
    [
      "looking at status and diffs does not leave it",
      [edit("a"), bash("git commit -am x"), bash("git status"), bash("git log -1"), bash("git diff"), bash("git show")],
      ["acting", "delivering"],
    ],
    [
      "an edit after it is acting again",
      [edit("a"), bash("git commit -am x"), edit("b"), green, bash("git push")],
      ["acting", "delivering", "acting", "verifying", "delivering"],
    ],
    ["a removed leftover is no edit", [read("a"), bash("rm -rf tmp/clone")], []],
    [
      "a file outside the project is no edit",
      [read("a"), { tool: "Write", args: { file_path: "/home/me/.claude/memory/x.md", content: "x" } }],
      [],
    ],
    [
      "editing and testing in one line is verifying",
      [edit("a"), bash("sed -i s/a/b/ a.ts && npm test")],
      ["acting", "verifying"],
    ],
    [
      "testing and then editing in one line is acting",
      [edit("a"), green, bash("npm test && sed -i s/a/b/ a.ts")],
      ["acting", "verifying", "acting"],
    ],
    ["an edit while verifying leads back to acting", [edit("a"), green, edit("a")], ["acting", "verifying", "acting"]],
    ["red tests and an edit lead back to acting", [edit("a"), red, edit("a")], ["acting", "verifying", "acting"]],
    ["red tests twice lead back to acting by themselves", [edit("a"), red, red], ["acting", "verifying", "acting"]],
    [
      "a plan leads to planning, an edit on to acting",
      [read("a"), todo("pending", "x", "y"), edit("a")],
      ["planning", "acting"],
    ],
    [
      "ticking off a step is no new plan",
      [todo("pending", "x", "y"), read("a"), read("b"), read("c"), todo("completed", "x", "y")],
      ["planning", "exploring"],
    ],
    [
      "a tool the tracker does not know is not planning",
      [todo("pending", "x", "y"), ...["a", "b", "c"].map((page) => ({ tool: "browse", args: { page } }))],
      ["planning", "exploring"],
    ],
    ["a program that runs after the plan is not planning", [todo("pending", "x"), green], ["planning", "exploring"]],
    [
      "after an edit a program that runs is part of acting",
      [edit("a"), read("b"), read("c"), read("d"), todo("pending", "x"), green, green],
      ["acting", "exploring", "planning", "acting", "verifying"],
    ],
    ["a plan while acting is no planning", [edit("a"), todo("pending", "x", "y")], ["acting"]],
    [
      "writing a reproduction is verifying, and so is running it",
      [read("a"), reproduce, bash("python /w/reproduce.py")],
      ["verifying"],
    ],
    [
      "before the first change reading is exploring at once",
      [reproduce, bash("python /w/reproduce.py"), read("a")],
      ["verifying", "exploring"],
    ],
    [
      "changing the reproduction is no change of the work",
      [
        edit("a"),
        reproduce,
        {
          tool: "str_replace_editor",
          args: { command: "str_replace", path: "/w/reproduce.py", old_str: "a", new_str: "b" },
        },
      ],
      ["acting", "verifying"],
    ],
    [
      "a look at red tests is exploring",
      [edit("a"), red, read("b"), edit("b")],
      ["acting", "verifying", "exploring", "acting"],
    ],
    ["a look after green tests is not yet", [edit("a"), green, read("b"), read("c")], ["acting", "verifying"]],
    ["for long it is", [edit("a"), green, read("b"), read("c"), read("d")], ["acting", "verifying", "exploring"]],
    [
      "reading for long after an edit is exploring",
      [edit("a"), read("b"), read("c"), read("d")],
      ["acting", "exploring"],
    ],
    [
      "tests while exploring again lead straight to verifying",
      [edit("a"), read("b"), read("c"), read("d"), green],
      ["acting", "exploring", "verifying"],
    ],
  ])("%s", (_what, steps, expected) => {
    const { take, phases } = codingRun();
    take(...steps);
    expect(phases()).toEqual(expected);
  });

  it.each([1, 2])("does not flap when %s reads and an edit alternate", (reads) => {
    const { take, phases } = codingRun();
    for (let round = 0; round < 30; round += 1)
      take(...Array.from({ length: reads }, (_, n) => read(`f${String(round)}-${String(n)}`)), edit("a"));
    expect(phases()).toEqual(["acting"]);
  });

  it("counts the parallel reads of one turn as one look", () => {
    const { run, take, phases } = codingRun();
    take(edit("a"));
    run.beforeTurn();
    for (let n = 0; n < 10; n += 1) run.record(finished(read(`f${String(n)}`)));
    expect(phases()).toEqual(["acting"]);
  });

  it("closes verifying as failed only when red tests caused the move", () => {
    const outcomes = (...steps: readonly Step[]): readonly object[] => {
      const { take, events } = codingRun();
      take(...steps);
      return events.flatMap((event) =>
        event.type === "phase.transition" && event.from === "verifying"
          ? [{ to: event.to, outcome: event.outcome, predicate: event.predicate }]
          : [],
      );
    };
    expect(outcomes(edit("a"), red, edit("a"))).toEqual([
      { to: "acting", outcome: "failed", predicate: "tests_failed" },
    ]);
    expect(outcomes(edit("a"), red, red)).toEqual([{ to: "acting", outcome: "failed", predicate: "tests_failed" }]);
    expect(outcomes(edit("a"), red, read("b"))).toEqual([
      { to: "exploring", outcome: "failed", predicate: "tests_failed" },
    ]);
    expect(outcomes(edit("a"), red, green, edit("a"))).toEqual([
      { to: "acting", outcome: "completed", predicate: undefined },
    ]);
    expect(outcomes(edit("a"), green, edit("a"))).toEqual([
      { to: "acting", outcome: "completed", predicate: undefined },
    ]);
  });

  it.each([
    ["Let me do this:\n1. Read it\n2. Change it\n3. Test it", true],
    ["Step 1: read\nStep 2: change\nStep 3: test", true],
    ["1. Read it\n2. Change it", false],
    ["I found 3. things and 4. more", false],
  ])("a turn of words alone, %j, is a plan: %s", (text, plans) => {
    const { run, phases } = codingRun();
    run.beforeTurn();
    run.record({ type: "message.sent", text });
    run.beforeTurn();
    expect(phases()).toEqual(plans ? ["planning"] : []);
  });

  it("takes no plan from words that come with a tool call", () => {
    const { run, phases } = codingRun();
    run.beforeTurn();
    run.record({ type: "message.sent", text: "1. Read it\n2. Change it\n3. Test it" });
    run.record(finished(read("a")));
    run.beforeTurn();
    expect(phases()).toEqual([]);
  });

  it("takes a declared plan and a list of todos as facts", () => {
    const declared = codingRun();
    declared.run.record({ type: "plan.declared", steps: 3 });
    expect(declared.phases()).toEqual(["planning"]);
    const listed = codingRun();
    listed.run.record({ type: "todos.updated", todos: [{ text: "a", status: "pending" }] });
    listed.run.record({ type: "todos.updated", todos: [{ text: "a", status: "done" }] });
    expect(listed.phases()).toEqual(["planning"]);
  });

  it("lets a run without edits finish clean from any phase", () => {
    for (const steps of [[read("a")], [todo("pending", "a", "b")], [reproduce]]) {
      const { run, take } = codingRun();
      take(...steps);
      expect(run.beforeFinish()).toMatchObject({ accept: true });
      run.end();
      expect(run.outcome?.reason).toBe("done");
    }
  });

  it("patience and failuresBeforeActing can be chosen", () => {
    const quick = codingRun({ policies: [phaseTracker({ patience: 1, failuresBeforeActing: 1 })] });
    quick.take(edit("a"), read("b"), edit("b"), green, red);
    expect(quick.phases()).toEqual(["acting", "exploring", "acting", "verifying", "acting"]);
  });

  describe("other graphs", () => {
    const support = definePhaseGraph({
      name: "support",
      initial: "triage",
      phases: { triage: { next: ["answer"] }, answer: { next: ["triage"], final: true } },
    });
    const follow = (
      policy: Parameters<typeof createRun<"triage" | "answer">>[0] & object,
      ...steps: readonly Step[]
    ): readonly string[] => {
      const run = createRun({ graph: support, interpret: reading(), ...policy });
      const events: RunEvent[] = [];
      run.subscribe((step) => events.push(...step));
      for (const step of steps) run.record(finished(step));
      return events.flatMap((event) => (event.type === "phase.transition" ? [event.to] : []));
    };

    it("follows a map of activities; looking needs patience, changing does not", () => {
      const policies = [phaseTracker({ signals: { search: "triage", read: "triage", edit: "answer" } })];
      expect(follow({ policies }, read("a"), edit("a"), read("b"), edit("b"), read("c"), read("d"))).toEqual([
        "answer",
        "triage",
      ]);
    });

    it("follows a function", () => {
      const policies = [
        phaseTracker({
          signals: ({ tool }) => (tool === "reply" ? "answer" : undefined),
          phases: ["answer"],
          patience: 1,
        }),
      ];
      expect(follow({ policies }, read("a"), { tool: "reply", args: {} })).toEqual(["answer"]);
    });
  });

  it("keeps the last 4,096 names and counts on", () => {
    const { run, take } = codingRun();
    for (let n = 0; n < 4200; n += 1) run.record(finished(read(`f${String(n)}`)));
    take(read("f4199"));
    const state = trackerState(run.view);
    expect(state?.uniqueFilesRead.size).toBe(4096);
    expect(state?.uniqueFilesRead.has("f4199")).toBe(true);
    expect(state?.uniqueFilesRead.has("f0")).toBe(false);
  });

  it("has no state without a tracker", () => {
    expect(trackerState(createRun({ graph: codingPhases }).view)).toBeUndefined();
  });
});

describePolicy(() => phaseTracker(), {
  describe,
  it,
  graph: codingPhases,
  endless: endlessReads,
  events: [
    { type: "turn.started" },
    finished(read("a")),
    finished(todo("pending", "a", "b")),
    { type: "message.sent", text: "1. a\n2. b\n3. c" },
    { type: "turn.started" },
    finished(edit("a")),
    finished(red),
    { type: "turn.started" },
    finished(red),
    finished(green),
    finished(read("b")),
    finished(reproduce),
  ],
});
describePolicy(() => phaseTracker({ signals: { read: "exploring", edit: "acting" } }), {
  describe,
  it,
  graph: codingPhases,
  endless: endlessReads,
  events: [finished(read("a")), finished(edit("a")), finished(read("b")), finished(read("c"))],
});
