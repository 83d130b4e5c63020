import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hookPaths } from "../src/hooks/client/hook-paths.ts";
import { createHookServer } from "../src/hooks/server/hook-server.ts";
import { recordedSessions } from "./recorded-session.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

/** A session of Claude Code in a mode, each event ten seconds after the last. */
function session(mode: string) {
  const paths = hookPaths(emptyHome());
  let now = 1000;
  const start = (): ReturnType<typeof createHookServer> => createHookServer({ paths, clock: () => now });
  let server = start();
  writeFileSync(paths.config, JSON.stringify({ modes: { "claude-code": mode } }));
  const send = async (payload: object): Promise<string> => {
    now += 10_000;
    const sent = JSON.stringify({ session_id: "s1", cwd: "/p", ...payload });
    return (await server.takeEvent({ agent: "claude-code" }, sent)).text;
  };
  const call = async (tool_name: string, tool_input: object, tool_response: object = {}): Promise<string> => {
    const about = { tool_name, tool_input, tool_use_id: `t${String(now)}` };
    await send({ hook_event_name: "PreToolUse", ...about });
    await send({ hook_event_name: "PostToolUse", ...about, tool_response });
    return await send({ hook_event_name: "PostToolBatch", tool_calls: [] });
  };
  return {
    send,
    call,
    restart: async () => {
      await server.close();
      server = start();
    },
    prompt: (prompt: string) => send({ hook_event_name: "UserPromptSubmit", prompt }),
    edit: () => call("Edit", { file_path: "/p/src/total.ts", old_string: "a", new_string: String(now) }),
    close: () => server.close(),
  };
}

const todos = {
  todos: [
    { content: "Fix total", status: "completed" },
    { content: "Run the tests", status: "pending" },
  ],
};

describe("an agent that lost its context", () => {
  it("reads a checkpoint after a compaction, once", async () => {
    const { send, call, prompt, edit, close } = session("nudge");
    await prompt("Fix the total.");
    await edit();
    await call("TodoWrite", todos);
    expect(await send({ hook_event_name: "PostCompact", trigger: "auto" })).toBe("");
    const answer = await send({ hook_event_name: "SessionStart", source: "compact" });
    for (const text of ["Task: Fix the total.", "/p/src/total.ts", "- Run the tests"]) expect(answer).toContain(text);
    expect(answer).not.toContain("Fix total\n");
    expect(await edit()).toBe("");
    await close();
  });

  it.each(["observe", "nudge"])(
    "reads it when the user continues the session the next day, in mode %s",
    async (mode) => {
      const { send, prompt, edit, restart, close } = session(mode);
      await prompt("Fix the total.");
      await edit();
      await send({ hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." });
      await send({ hook_event_name: "SessionEnd", reason: "exit" });
      await restart();
      await send({ hook_event_name: "SessionStart", source: "resume" });
      const answer = await prompt("Go on.");
      if (mode === "observe") expect(answer).toBe("");
      else expect(answer).toContain("/p/src/total.ts");
      expect(await edit()).not.toContain("the state of the work");
      await close();
    },
  );

  it("reads nothing when only the server started again, and nothing when nothing was done", async () => {
    const { send, prompt, edit, restart, close } = session("nudge");
    await prompt("Fix the total.");
    expect(await send({ hook_event_name: "SessionStart", source: "compact" })).toBe("");
    await edit();
    await restart();
    expect(await edit()).toBe("");
    expect(await prompt("Go on.")).toBe("");
    await close();
  });
});

describe("why --handoff", () => {
  it("prints the checkpoint of an agent's own log", async () => {
    const session = recordedSessions.find(({ agent }) => agent === "claude-code");
    const home = emptyHome();
    const path = join(home, ".claude/projects/-home-user-project/id-1.jsonl");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, session?.log ?? "");
    const { out } = await phasekitHere(["why", "--latest", "--handoff"], { home, cwd: emptyHome() });
    expect(out).toMatchInlineSnapshot(`
      "Task: Fix sum in sum.mjs.
      Last request: Now add a comment.
      Phase: acting
      Done (changed files):
      - sum.mjs
      Last checks:
      - test (node): passed (1 passed); files were changed after it
      Tried without success:
      - Bash ls nothing-here, 3 times: ls: cannot access 'nothing-here': No such file or directory
      "
    `);
  });
});
