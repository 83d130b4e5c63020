import { describe, expect, it } from "vitest";
import { openSession } from "../../test/session-kit.ts";
import { agentNames } from "../hook-event.ts";

const FAILURE = { output: 'npm error Missing script: "biuld"', exitCode: 1 };

describe("an edit after failures", () => {
  it.each(agentNames)("brings no nudge about them beside its result in %s", (agent) => {
    for (let failures = 3; failures < 9; failures += 1) {
      const { prompt, shell, edit, finish } = openSession({ agent, mode: "nudge" });
      prompt("Build it.");
      const heard = Array.from({ length: failures }, () => shell("npm run biuld", FAILURE).nudge ?? "");
      // Cursor carries no nudge on a failed call.
      if (agent !== "cursor") expect(heard.join("\n")).toContain("failed 3 times");
      expect([failures, edit().nudge ?? ""]).toEqual([failures, expect.not.stringContaining("failed")]);
      expect(finish().veto ?? "").not.toContain("failed");
    }
  });

  it("brings none that was due while the edit ran in parallel", () => {
    const { prompt, shell, send } = openSession({ agent: "codex", mode: "nudge" });
    prompt("Build it.");
    for (let n = 0; n < 2; n += 1) shell("npm run biuld", FAILURE);
    const failing = { tool: "Bash", input: { command: "npm run biuld" } };
    const editing = { tool: "Edit", input: { file_path: "package.json", old_string: "a", new_string: "b" } };
    send({ kind: "tool.started", call: "x", ...failing });
    send({ kind: "tool.started", call: "y", ...editing });
    send({ kind: "tool.ended", call: "x", ...failing, outcome: "error", ...FAILURE });
    const { nudge = "" } = send({ kind: "tool.ended", call: "y", ...editing, outcome: "ok", output: "edited" });
    expect(nudge).not.toContain("failed");
  });
});
