import { describe, expect, it } from "vitest";
import { gateChange } from "./self-protection.ts";

describe("gateChange", () => {
  it.each([
    [{ activity: "edit", input: { file_path: "/home/u/.claude/settings.json" } }, ".claude/settings.json"],
    [
      { activity: "edit", input: { file_path: "C:\\Users\\u\\.claude\\settings.local.json" } },
      ".claude/settings.local.json",
    ],
    [{ activity: "edit", input: { path: ".codex/hooks.json" } }, ".codex/hooks.json"],
    [{ activity: "edit", targets: ["phasekit.config.ts"], input: {} }, "phasekit.config.ts"],
    [{ activity: "edit", targets: ["app/phasekit.config.yaml"], input: {} }, "phasekit.config.yaml"],
    [{ activity: "edit", input: { file_path: "phasekit.config.json" } }, "phasekit.config.json"],
    [{ activity: "edit", input: { file_path: "/home/u/.config/phasekit/trust.json" } }, "phasekit/trust.json"],
    [{ activity: "run", input: { command: "phasekit trust phasekit.config.ts" } }, "phasekit trust"],
    [
      {
        activity: "edit",
        input: { command: "*** Begin Patch\n*** Update File: .codex/hooks.json\n+{}\n*** End Patch" },
      },
      ".codex/hooks.json",
    ],
    [{ activity: "run", input: { command: "sed -i s/gate/observe/ ~/.phasekit/hooks.json" } }, ".phasekit/"],
    [
      { activity: "run", input: { command: "python3 -c \"open('.gemini/settings.json','w')\"" } },
      ".gemini/settings.json",
    ],
    [{ activity: "run", input: { cmd: "rm -rf $HOME/.phasekit" } }, ".phasekit"],
    [{ activity: "run", input: { command: "npx phasekit waive tests-fresh --reason x" } }, "phasekit waive"],
    [{ activity: "read", input: { command: "phasekit waive tests-fresh --reason x" } }, "phasekit waive"],
    [
      { activity: "run", input: { command: "phasekit init claude-code --uninstall --yes" } },
      "phasekit init claude-code --uninstall",
    ],
    [{ activity: "run", input: { command: "phasekit init codex --mode observe" } }, "phasekit init codex --mode"],
    [{ activity: "run", input: { command: ["bash", "-lc", "echo {} > .cursor/hooks.json"] } }, ".cursor/hooks.json"],
    [{ activity: "read", mutates: true, input: { command: "cat a > .claude/settings.json" } }, ".claude/settings.json"],
    [{ activity: "edit", input: { file_path: ".config/opencode/plugin/phasekit.js" } }, "opencode/plugin/phasekit"],
  ])("finds what %j would change", (call, what) => {
    expect(gateChange(call)).toBe(what);
  });

  it.each([
    { activity: "read", input: { file_path: ".claude/settings.json" } },
    { activity: "read", input: { command: "cat ~/.phasekit/hooks.json" } },
    { activity: "edit", input: { file_path: "src/settings.json" } },
    { activity: "edit", input: { file_path: "docs/claude/settings.json" } },
    { activity: "run", input: { command: "phasekit why" } },
    {
      activity: "edit",
      input: { command: "*** Begin Patch\n*** Update File: README.md\n+See .codex/hooks.json.\n*** End Patch" },
    },
    { activity: "test", input: { command: "npm test" } },
    { activity: "edit", input: { file_path: "src/phasekit-notes.md" } },
    { input: undefined },
  ])("lets %j pass", (call) => {
    expect(gateChange(call)).toBeUndefined();
  });
});
