import { describe, expect, it } from "vitest";
import { openSession, passing } from "../../test/session-kit.ts";
import { agentNames } from "../hook-event.ts";
import { gateTouched } from "../hook-events.ts";

describe("a session", () => {
  it("is one run that waits between prompts", () => {
    const { prompt, edit, shell, finish, log, runs } = openSession();
    prompt("Fix sum.");
    edit();
    shell("npx vitest run", passing);
    expect(finish()).toEqual({});
    expect(runs[0]?.view.status).toBe("suspended");
    prompt("Now fix product.");
    expect(runs[0]?.view.status).toBe("running");
    edit("src/product.ts");
    shell("npx vitest run", passing);
    expect(finish()).toEqual({});
    expect(runs).toHaveLength(1);
    expect(log[0]).toMatchObject({ type: "run.started", task: { text: "Fix sum." } });
    expect(log.filter(({ type }) => type === "move.requested").map((event) => (event as { do?: string }).do)).toEqual([
      "suspend",
      "resume",
      "suspend",
    ]);
  });

  it("ends as done and verified when the session ends after an accepted finish", () => {
    const { prompt, edit, shell, finish, send, runs } = openSession();
    prompt();
    edit();
    shell("npx vitest run", passing);
    finish();
    send({ kind: "session.ended" });
    expect(runs[0]?.outcome).toMatchObject({ reason: "done", verified: true });
  });

  it.each([
    ["after an unverified finish", true, false, "done_unverified"],
    ["in the middle of the work", false, false, "interrupted"],
    ["after an interrupt", false, true, "cancelled"],
  ])("%s it ends as %s", (...[, finishes, interrupted, reason]) => {
    const { prompt, edit, send, finish, runs } = openSession({ mode: "observe" });
    prompt();
    edit();
    if (interrupted)
      send({ kind: "tool.ended", call: "x", tool: "Bash", outcome: "error", interrupted: true, output: "" });
    if (finishes) finish();
    send({ kind: "session.ended" });
    expect(runs[0]?.outcome).toMatchObject({ reason });
  });

  it("vetoes a finish without tests once, and accepts it after the tests passed", () => {
    const { prompt, edit, shell, finish } = openSession();
    prompt();
    edit();
    const { veto = "" } = finish();
    expect(veto).toMatchInlineSnapshot(`
      "<phasekit>
      You changed src/sum.ts, and nothing has checked it. Run the tests before you finish.
      If this cannot be done, or you wait for something, say so and finish again. The user can waive it: phasekit waive tests-fresh --reason "..."
      </phasekit>"
    `);
    shell("npx vitest run", passing);
    expect(finish({ continued: true })).toEqual({});
  });

  it("counts the answer to a veto as a turn, as the agent's own log does", () => {
    const { prompt, edit, finish, session } = openSession();
    prompt();
    edit();
    const turns = session.status().turns ?? 0;
    finish();
    expect(session.status().turns).toBe(turns + 1);
  });

  it.each(["observe", "nudge"] as const)("holds nothing back in mode %s", (mode) => {
    const { prompt, edit, shell, finish } = openSession({ mode });
    prompt();
    edit();
    for (let n = 0; n < 8; n += 1)
      expect(shell("git fetch", { output: "error: read-only", exitCode: 255 }).refuse).toBeUndefined();
    expect(edit(".claude/settings.json").refuse).toBeUndefined();
    expect(finish()).toEqual({});
  });

  it("says nothing at all in mode observe", () => {
    const { prompt, shell } = openSession({ mode: "observe" });
    prompt();
    for (let n = 0; n < 10; n += 1) expect(shell("git fetch", { output: "error", exitCode: 255 })).toEqual({});
  });

  it.each(agentNames.filter((name) => name !== "claude-code"))("nudges after a tool result in %s", (agent) => {
    const { prompt, shell } = openSession({ agent, mode: "nudge" });
    prompt();
    const answers = Array.from({ length: 8 }, () => shell("git fetch", { output: "error: read-only", exitCode: 255 }));
    // A failed call cannot carry a nudge in Cursor; a later one that works does.
    const nudges = [...answers, shell("ls", { output: "a" })].flatMap(({ nudge }) => nudge ?? []);
    expect(nudges.length).toBeGreaterThan(0);
  });

  it("refuses changes of its own gate in mode gate, every time, and records them in every mode", () => {
    for (const mode of ["observe", "nudge", "gate"] as const) {
      const { prompt, edit, log, finish } = openSession({ mode });
      prompt();
      const answers = [edit(".claude/settings.json"), edit("phasekit.config.ts"), edit(".phasekit/hooks.json")];
      expect(answers.map(({ refuse }) => refuse !== undefined)).toEqual(Array(3).fill(mode === "gate"));
      expect(log.filter((event) => gateTouched.is(event))).toHaveLength(3);
      expect(finish().veto).toBeUndefined();
    }
  });

  it("lets the user waive a gate", () => {
    const { session, prompt, edit, finish } = openSession();
    prompt();
    edit();
    expect(session.waive("tests-fresh", { reason: "There are no tests here." })).toBe("waived");
    expect(finish()).toEqual({});
  });

  it.each(["observe", "nudge", "gate"] as const)(
    "records a waiver the agent asks for and refuses it, in mode %s",
    (mode) => {
      const { session, prompt, edit, send, log } = openSession({ mode });
      prompt();
      edit();
      expect(session.waive("tests-fresh", { reason: "x", byAgent: true })).toBe("refused");
      // A script of the agent's that calls `phasekit waive` has no sign of the agent in its environment.
      const call = { call: "w", tool: "Bash", input: { command: "env -i phasekit waive tests-fresh --reason x" } };
      send({ kind: "tool.started", ...call });
      if (mode !== "gate") expect(session.waive("tests-fresh", { reason: "x" })).toBe("refused");
      send({ kind: "tool.ended", ...call, outcome: "ok" });
      expect(log.filter((event) => gateTouched.is(event))).toHaveLength(mode === "gate" ? 2 : 3);
      expect(log.some((event) => event.type === "move.requested" && event.do === "waive")).toBe(false);
      expect(session.waive("tests-fresh", { reason: "The user says so." })).toBe("waived");
    },
  );

  it("takes its own veto for no prompt of a person", () => {
    const { prompt, edit, finish, send, log } = openSession({ agent: "copilot-cli" });
    prompt();
    edit();
    const { veto = "" } = finish();
    expect(send({ kind: "prompt.submitted", text: veto, byPerson: true })).toEqual({});
    expect(finish({ continued: true })).toEqual({});
    expect(log.filter(({ type }) => type === "message.received")).toEqual([]);
  });

  it("opens the next run for a prompt after a stop", () => {
    const { prompt, shell, runs, session } = openSession();
    prompt();
    for (let n = 0; n < 40 && session.run()?.view.stopped === undefined; n += 1)
      shell("git fetch origin main", { output: "error: cannot open: Read-only file system", exitCode: 255 });
    if (session.run()?.view.stopped === undefined) session.run()?.stop({ reason: "policy_stop" as never });
    prompt("Try something else.");
    expect(runs).toHaveLength(2);
    expect(runs[0]?.view.status).toBe("ended");
    expect(runs[1]?.view.status).toBe("running");
  });

  it("records the calls that an agent turned down without a hook", () => {
    const { prompt, send, log } = openSession();
    prompt();
    const call = { call: "v1", tool: "Edit", input: { file_path: "a.ts" }, output: "String to replace not found" };
    send({ kind: "batch.ended", calls: [call] });
    expect(log.find(({ type }) => type === "tool.finished")).toMatchObject({ call: "v1", outcome: "error" });
  });

  it("follows a sub-agent in a run of its own", () => {
    const { prompt, send, runs } = openSession();
    prompt();
    send({ kind: "subagent.started", id: "a1" });
    send({ kind: "tool.started", call: "c", tool: "Read", input: { file_path: "a" }, subagent: "a1" });
    send({ kind: "tool.ended", call: "c", tool: "Read", outcome: "ok", output: "x", subagent: "a1" });
    expect([...(runs[0]?.view.children.values() ?? [])]).toMatchObject([{ status: "running" }]);
    expect(runs[0]?.view.toolCalls).toBe(0);
    send({ kind: "subagent.ended", id: "a1" });
    send({ kind: "subagent.ended", id: "never-started" });
    expect([...(runs[0]?.view.children.values() ?? [])]).toMatchObject([{ status: "ended" }]);
  });

  it("records a compaction as core's own event, so that the next turn gets the reminder", () => {
    const { prompt, edit, send, runs, log } = openSession({ mode: "nudge" });
    prompt();
    edit();
    send({ kind: "context.compacted", trigger: "auto" });
    expect(log.filter(({ type }) => type === "context.compacted")).toMatchObject([{ trigger: "auto" }]);
    expect(runs[0]?.view.compactions).toBe(1);
    expect(edit().nudge).toContain("The conversation was shortened.");
    expect(edit().nudge ?? "").not.toContain("The conversation was shortened.");
  });

  it("wants a checkpoint after a compaction that comes before the prompt that continues the run", () => {
    const { session, prompt, finish, send } = openSession({ mode: "nudge" });
    prompt();
    finish();
    send({ kind: "session.ended" });
    send({ kind: "context.compacted" });
    const next = { agent: "claude-code", session: "s", name: "UserPromptSubmit" } as const;
    expect(session.wantsCheckpoint({ ...next, kind: "prompt.submitted", text: "Go on.", byPerson: true })).toBe(true);
  });

  it("records the compaction of a sub-agent in the run of the sub-agent", () => {
    const { prompt, send, runs } = openSession({ mode: "nudge" });
    prompt();
    send({ kind: "subagent.started", id: "a1" });
    send({ kind: "context.compacted", subagent: "a1" });
    send({ kind: "context.compacted", subagent: "never-started" });
    expect(runs[0]?.view.compactions).toBe(0);
  });

  it("pairs calls without ids by their input", () => {
    const { prompt, send, runs } = openSession({ agent: "gemini-cli" });
    prompt();
    const call = (command: string) => ({ tool: "run_shell_command", input: { command } });
    send({ kind: "tool.started", ...call("a") });
    send({ kind: "tool.started", ...call("b") });
    send({ kind: "tool.ended", ...call("b"), outcome: "ok", output: "b" });
    expect(runs[0]?.view.pending.size).toBe(1);
    send({ kind: "tool.ended", ...call("a"), outcome: "ok", output: "a" });
    expect(runs[0]?.view.pending.size).toBe(0);
    expect(runs[0]?.view.toolCalls).toBe(2);
  });

  it("counts what the model's answers cost, those of sub-agents too", () => {
    const { session, prompt, send, finish, runs } = openSession();
    const answer = (inputTokens: number) => ({ model: "m", usage: { inputTokens, outputTokens: 1 } });
    prompt();
    send({ kind: "tool.started", call: "c", tool: "Agent", input: {}, answers: [answer(10)] });
    send({ kind: "subagent.started", id: "a1" });
    send({ kind: "subagent.ended", id: "a1", answers: [{ ...answer(200), subagent: "a1" }] });
    send({ kind: "subagent.ended", id: "never-started", answers: [{ ...answer(9000), subagent: "never-started" }] });
    finish({ answers: [answer(30), answer(4)] });
    expect(runs[0]?.view.usage).toMatchObject({ inputTokens: 244, outputTokens: 4, modelCalls: 3 });
    expect(session.status()).toMatchObject({ tokens: 248 });
    // After an accepted finish, too.
    send({ kind: "session.ended", answers: [answer(6)] });
    expect(runs[0]?.view.usage.inputTokens).toBe(250);
  });

  it("shows its state", () => {
    const { session, prompt, edit, finish } = openSession();
    expect(session.status()).toEqual({ mode: "gate", state: "idle" });
    prompt();
    edit();
    finish();
    expect(session.status()).toMatchObject({ state: "running", phase: "acting", owed: ["tests-fresh"] });
  });
});

describe("a sub-agent", () => {
  const sub = { subagent: "sub" };
  const fail = (kit: ReturnType<typeof openSession>, id: string) => {
    const call = { call: id, tool: "Bash", input: { command: "npm run biuld" } };
    const asked = kit.send({ kind: "tool.started", ...sub, ...call });
    if (asked.refuse !== undefined) return asked;
    const output = 'npm error Missing script: "biuld"';
    const ended = kit.send({ kind: "tool.ended", ...sub, ...call, outcome: "error", exitCode: 1, output });
    return kit.send({ kind: "batch.ended", ...sub, calls: [call] }).nudge === undefined ? ended : { nudge: "batch" };
  };

  it.each(["claude-code", "codex"] as const)("of %s that loops gets the nudge itself, and its parent none", (agent) => {
    const kit = openSession({ agent, mode: "nudge" });
    kit.prompt();
    // The call that runs the sub-agent is open all the time.
    kit.send({ kind: "tool.started", call: "task", tool: "Agent", input: { prompt: "Build it." } });
    kit.send({ kind: "subagent.started", id: "sub" });
    const answers = Array.from({ length: 4 }, (_, index) => fail(kit, `s${String(index)}`));
    expect(answers.some(({ nudge }) => nudge !== undefined)).toBe(true);
    kit.send({ kind: "subagent.ended", id: "sub", text: "I could not build it." });
    const after = [
      kit.send({ kind: "tool.ended", call: "task", tool: "Agent", outcome: "ok", output: "It failed." }),
      kit.shell("ls", { output: "a" }),
    ];
    expect(after.map(({ nudge }) => nudge)).toEqual([undefined, undefined]);
  });

  it("that says it is done without a test is sent back once, and then let go", () => {
    const kit = openSession();
    kit.prompt();
    kit.send({ kind: "subagent.started", id: "sub" });
    const edit = { call: "e1", tool: "Edit", input: { file_path: "src/sum.ts", old_string: "a", new_string: "b" } };
    kit.send({ kind: "tool.started", ...sub, ...edit });
    kit.send({ kind: "tool.ended", ...sub, ...edit, outcome: "ok", output: "edited" });
    const end = { kind: "subagent.ended", id: "sub", text: "Done, all tests pass." } as const;
    expect(kit.send({ ...end, name: "SubagentStop" }).veto).toContain("Run the tests");
    expect(kit.send({ ...end, name: "SubagentStop", continued: true })).toEqual({});
    expect(kit.log.find(({ type }) => type === "child.finished")).toMatchObject({ changed: ["src/sum.ts"] });
  });
});

describe("what an agent reads", () => {
  it.each(["claude-code", "codex", "pi"] as const)(
    "of %s: the edit that ends a loop comes without a nudge about it",
    (agent) => {
      for (const failures of [3, 5, 7]) {
        const { prompt, shell, edit } = openSession({ agent, mode: "nudge" });
        prompt();
        for (let index = 0; index < failures; index += 1)
          shell("npm run biuld", { output: 'npm error Missing script: "biuld"', exitCode: 1 });
        expect(edit().nudge).toBeUndefined();
      }
    },
  );

  it("has the waiver once, however many gates ask for something", () => {
    const { prompt, edit, finish } = openSession();
    prompt();
    edit();
    const { veto = "" } = finish({ text: "Done. All tests pass, and I committed it." });
    expect(veto.split("phasekit waive")).toHaveLength(2);
    expect(veto).toMatch(/phasekit waive tests-fresh --reason "\.\.\.", and the same for claims-true/);
  });

  it("asks to run the tests again after an edit that followed a red run", () => {
    const { prompt, edit, shell, finish } = openSession();
    prompt();
    edit();
    shell("npx vitest run", { output: " Tests  1 failed | 2 passed (3)\n", exitCode: 1 });
    edit();
    expect(finish().veto).toMatch(/You changed src\/sum\.ts after the last test run .*Run the tests again/);
  });
});

it("a veto that could not reach the agent is none: opencode run leaves when its agent is idle", () => {
  const { prompt, edit, finish, log } = openSession({ agent: "opencode" });
  prompt();
  edit();
  expect(finish({ isLeaving: true })).toEqual({});
  expect(log.filter((event) => event.type === "finish.vetoed" && event.applied)).toEqual([]);
  expect(log.some(({ type }) => type === "move.requested")).toBe(true);
});
