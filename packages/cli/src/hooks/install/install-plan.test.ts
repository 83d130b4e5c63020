import { describe, expect, it } from "vitest";
import { agentNames } from "@phasekit/hooks";
import { planDiff } from "./install-context.ts";
import { type InstallOptions, planInstall } from "./install-plan.ts";
import { backupPath, printRecord, recordPath } from "./install-record.ts";
import { installScopes } from "./install-target.ts";
import { planUninstall } from "./uninstall-plan.ts";

const options: InstallOptions = {
  home: "/home/u",
  cwd: "/repo/p",
  node: "/usr/bin/node",
  token: "secret",
  moduleText: (agent) => `// ${agent}\n`,
};
const INSTALLS = "/home/u/.phasekit/installs";

/** A file system in memory; `install` and `uninstall` as `apply-install.ts` does them. */
function machine(files: Record<string, string> = {}) {
  const read = (path: string): string | undefined => files[path];
  const remove = (path: string): void => void Reflect.deleteProperty(files, path);
  const apply = (planned: ReturnType<typeof planInstall>["files"]): void => {
    for (const { path, after } of planned) {
      if (after === undefined) remove(path);
      else files[path] = after;
    }
  };
  return {
    files,
    install: (agent: (typeof agentNames)[number], more: Partial<InstallOptions> = {}) => {
      const plan = planInstall(agent, { ...options, ...more }, read);
      if (plan.record !== undefined) files[recordPath(INSTALLS, plan.target)] = printRecord(plan.record);
      for (const [path, bytes] of plan.backups) files[backupPath(INSTALLS, path)] = bytes;
      apply(plan.files);
      return plan;
    },
    uninstall: (agent: (typeof agentNames)[number], more: Partial<InstallOptions> = {}) => {
      const plan = planUninstall(agent, { ...options, ...more }, read);
      apply(plan.files);
      remove(recordPath(INSTALLS, plan.target));
      for (const { path } of plan.record?.files ?? []) remove(backupPath(INSTALLS, path));
      return plan;
    },
  };
}

const foreign = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]},\t"x":  1}';

describe.each(agentNames.flatMap((agent) => installScopes(agent).map((scope) => ({ agent, scope }))))(
  "installing for $agent in scope $scope",
  ({ agent, scope }) => {
    it("and uninstalling leaves nothing on an empty machine", () => {
      const { files, install, uninstall } = machine();
      install(agent, { scope });
      expect(Object.keys(files).length).toBeGreaterThan(1);
      uninstall(agent, { scope });
      expect(files).toEqual({});
    });

    it.skipIf(agent === "opencode" || agent === "pi")(
      "and uninstalling gives settings of others back byte for byte",
      () => {
        const { files, install, uninstall } = machine();
        const { target } = planInstall(agent, { ...options, scope }, () => undefined);
        files[target] = foreign;
        const before = { ...files };
        install(agent, { scope });
        expect(files[target]).not.toBe(foreign);
        // Twice, as after an upgrade, and with another mode.
        install(agent, { scope, mode: "gate" });
        uninstall(agent, { scope });
        expect(files).toEqual(before);
      },
    );

    it("twice changes nothing the second time", () => {
      const { install } = machine();
      install(agent, { scope });
      expect(install(agent, { scope }).files).toEqual([]);
    });

    it("changes the mode without changing the agent's settings, which Codex trusts by their text", () => {
      const { install } = machine();
      const { target } = install(agent, { scope });
      const { files } = install(agent, { scope, mode: "gate" });
      expect(files.map(({ path }) => path)).not.toContain(target);
      expect(files).toHaveLength(1);
    });
  },
);

describe("planInstall", () => {
  it("keeps the hooks of others, and shows what changes", () => {
    const { install } = machine({ "/home/u/.codex/hooks.json": foreign });
    const plan = install("codex");
    const target = plan.files.find(({ path }) => path === plan.target);
    expect(JSON.parse(target?.after ?? "")).toMatchObject({
      x: 1,
      hooks: { Stop: [{ hooks: [{ command: "say done" }] }, {}] },
    });
    expect(target?.after).toContain('"Stop":[{"hooks":[{"type":"command","command":"say done"}]},{"hooks":[{"type":');
    expect(target === undefined ? "" : planDiff(target)).toContain(
      '+             "command": "\\"/usr/bin/node\\" \\"/home/u/.phasekit/bin/hook.cjs\\" codex"',
    );
  });

  it("removes only its own entries from settings that changed since", () => {
    const { files, install, uninstall } = machine({ "/home/u/.claude/settings.json": foreign });
    install("claude-code");
    const path = "/home/u/.claude/settings.json";
    files[path] = (files[path] ?? "").replace('"x":  1', '"x":  2');
    uninstall("claude-code");
    expect(files[path]).toBe(foreign.replace('"x":  1', '"x":  2'));
  });

  it("does not touch settings it cannot read", () => {
    const { install } = machine({ "/home/u/.gemini/settings.json": "{ // a comment\n}" });
    expect(() => install("gemini-cli")).toThrow(expect.objectContaining({ code: "UNREADABLE_SETTINGS" }));
  });

  it("says which scopes an agent has", () => {
    expect(() => machine().install("codex", { scope: "local" })).toThrow(
      expect.objectContaining({ code: "UNKNOWN_SCOPE" }),
    );
  });

  it("keeps its place among the hooks of others, as Codex trusts it there", () => {
    const path = "/home/u/.codex/hooks.json";
    const { files, install } = machine();
    install("codex");
    const settings = JSON.parse(files[path] ?? "") as { hooks: Record<string, object[]> };
    settings.hooks["Stop"]?.push({ hooks: [{ type: "command", command: "later" }] });
    files[path] = JSON.stringify(settings);
    install("codex", { node: "/usr/local/bin/node" });
    expect(JSON.parse(files[path])).toMatchObject({
      hooks: { Stop: [{ hooks: [{ timeout: 5 }] }, { hooks: [{ command: "later" }] }] },
    });
  });

  it("writes a command line that does not change, as Codex trusts it", () => {
    const { files, install } = machine();
    install("codex");
    const { hooks } = JSON.parse(files["/home/u/.codex/hooks.json"] ?? "") as {
      hooks: Record<string, { hooks: object[] }[]>;
    };
    expect(hooks["PreToolUse"]).toEqual([
      { hooks: [{ type: "command", command: '"/usr/bin/node" "/home/u/.phasekit/bin/hook.cjs" codex', timeout: 5 }] },
    ]);
    expect(hooks["SessionEnd"]?.[0]?.hooks[0]).toMatchObject({ timeout: 3 });
  });

  it("writes no personal folder and no token into settings that a project shares", () => {
    const { files, install } = machine();
    for (const agent of ["claude-code", "codex", "gemini-cli", "copilot-cli", "cursor"] as const)
      install(agent, { scope: "project" });
    const shared = Object.entries(files).filter(([path]) => path.startsWith("/repo/p/"));
    expect(shared.length).toBe(6);
    for (const [, text] of shared) expect(text).not.toMatch(/home\/u|usr\/bin|secret/);
  });

  it.each(agentNames)("writes no address of a port and no token into settings of %s", (agent) => {
    for (const scope of installScopes(agent)) {
      const { files, install } = machine();
      install(agent, { scope });
      const text = Object.values(files).join("");
      expect(text).not.toMatch(/https?:|127\.0\.0\.1|localhost|Bearer|secret/);
    }
  });

  it("lets Claude Code start the hook command for every event", () => {
    const { files, install } = machine();
    install("claude-code");
    const { hooks } = JSON.parse(files["/home/u/.claude/settings.json"] ?? "") as {
      hooks: Record<string, { hooks: object[] }[]>;
    };
    expect(Object.keys(hooks)).toHaveLength(12);
    for (const entries of Object.values(hooks))
      expect(entries).toEqual([
        {
          hooks: [
            { type: "command", command: '"/usr/bin/node" "/home/u/.phasekit/bin/hook.cjs" claude-code', timeout: 5 },
          ],
        },
      ]);
  });

  describe("over hooks of an earlier version, which went to a port", () => {
    const settings = "/home/u/.claude/settings.json";
    const config = "/home/u/.phasekit/hooks.json";
    const entry = {
      hooks: [
        {
          type: "http",
          url: "http://127.0.0.1:4123/phasekit/claude-code",
          headers: { Authorization: "Bearer old-secret" },
        },
      ],
    };
    const earlier = (): Record<string, string> => ({
      [settings]: JSON.stringify({ model: "x", hooks: { PreToolUse: [entry], Stop: [entry] } }),
      [config]: JSON.stringify({ modes: { "claude-code": "gate" }, http: { port: 4123, token: "old-secret" } }),
    });

    it("replaces the entries, and forgets port and token", () => {
      const { files, install } = machine(earlier());
      install("claude-code", { mode: "gate" });
      expect(Object.values(files).join("")).not.toMatch(/4123|old-secret|"http"/);
      expect(JSON.parse(files[settings] ?? "")).toMatchObject({ model: "x", hooks: { Stop: [{}] } });
    });

    it("says so when another agent is installed", () => {
      const { install } = machine(earlier());
      expect(install("pi").notes).toEqual([
        "Claude Code's hooks go to a port that others can take: run `phasekit init claude-code`.",
      ]);
    });

    it("keeps a token that Codex still passes to the tool", () => {
      const hooks = JSON.stringify({ hooks: { Stop: [{ hooks: [{ input: { token: "old-secret" } }] }] } });
      const { files, install } = machine({ ...earlier(), "/home/u/.codex/hooks.json": hooks });
      install("claude-code");
      expect(JSON.parse(files[config] ?? "")).toMatchObject({ mcp: { token: "old-secret" } });
      expect(files[config]).not.toContain("4123");
    });
  });

  it("lets Codex call a tool instead of a command, and takes the tool's server out of config.toml again", () => {
    const config = "/home/u/.codex/config.toml";
    const { files, install, uninstall } = machine({ [config]: 'model = "m"\n' });
    install("codex", { transport: "mcp" });
    const { hooks } = JSON.parse(files["/home/u/.codex/hooks.json"] ?? "") as {
      hooks: Record<string, { hooks: object[] }[]>;
    };
    expect(hooks["Stop"]?.[0]?.hooks[0]).toMatchObject({
      type: "mcp_tool",
      server: "phasekit",
      input: { token: "secret", hook_event_name: "Stop", stop_hook_active: "${stop_hook_active}" },
    });
    expect(hooks["SessionEnd"]?.[0]?.hooks[0]).toMatchObject({ type: "command" });
    expect(files[config]).toContain("[mcp_servers.phasekit]");
    // Codex writes to this file itself.
    files[config] = (files[config] ?? "") + '[projects."/p"]\ntrust_level = "trusted"\n';
    uninstall("codex");
    expect(files).toEqual({ [config]: 'model = "m"\n[projects."/p"]\ntrust_level = "trusted"\n' });
  });

  it("adds a status line on request, and leaves the user's alone", () => {
    const path = "/home/u/.claude/settings.json";
    const { files, install, uninstall } = machine();
    install("claude-code", { statusLine: true });
    const command = '"/usr/bin/node" "/home/u/.phasekit/bin/hook.cjs" statusline';
    expect(JSON.parse(files[path] ?? "")).toMatchObject({ statusLine: { type: "command", command } });
    files[path] = (files[path] ?? "").replace("{", '{ "model": "x",');
    uninstall("claude-code");
    expect(JSON.parse(files[path] ?? "")).toEqual({ model: "x" });
    files[path] = '{"statusLine":{"type":"command","command":"mine"}}';
    install("claude-code", { statusLine: true });
    expect(JSON.parse(files[path])).toMatchObject({ statusLine: { command: "mine" } });
  });

  it("leaves the layout of settings alone that have no hooks of ours", () => {
    const path = "/home/u/.claude/settings.json";
    const mine = '{"model":   "x"}';
    const { files, uninstall } = machine({ [path]: mine });
    uninstall("claude-code");
    expect(files).toEqual({ [path]: mine });
  });

  it("refuses a way to reach Phasekit that the agent does not have", () => {
    const { install } = machine();
    const message = 'claude-code cannot reach Phasekit by "mcp" with settings of scope "user".';
    expect(() => install("claude-code", { transport: "mcp" })).toThrow(message);
    expect(() => install("codex", { scope: "project", transport: "mcp" })).toThrow("cannot reach");
    expect(() => install("pi", { transport: "command" })).toThrow("cannot reach");
  });

  it("keeps two agents apart", () => {
    const { files, install, uninstall } = machine();
    install("codex", { mode: "gate" });
    install("pi");
    uninstall("pi");
    expect(JSON.parse(files["/home/u/.phasekit/hooks.json"] ?? "")).toMatchObject({ modes: { codex: "gate" } });
    uninstall("codex");
    expect(files).toEqual({});
  });
});
