import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { publishedPackages, root } from "./workspace.ts";

const packages = publishedPackages();

interface HooksFile {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

describe("the next release", () => {
  it("every changeset names packages that are published", () => {
    const known = new Set(packages.map(({ name }) => name));
    const named = readdirSync(join(root, ".changeset"))
      .filter((file) => file.endsWith(".md") && file !== "README.md")
      .flatMap((file) => {
        const [, head = ""] = /^---\n(.*?)\n---/s.exec(readFileSync(join(root, ".changeset", file), "utf8")) ?? [];
        return [...head.matchAll(/^"([^"]+)": (?:major|minor|patch)$/gm)].map(([, name = ""]) => ({ file, name }));
      });
    expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
  });

  it("every package has the version of the command line", () => {
    const versions = packages.map(({ directory }) => {
      const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
        readonly version: string;
      };
      return manifest.version;
    });
    expect(new Set(versions).size).toBe(1);
  });

  it("the MCP registry's entry and the package name each other", () => {
    const entry = JSON.parse(readFileSync(join(root, "server.json"), "utf8")) as {
      readonly name: string;
      readonly description: string;
      readonly packages: readonly { readonly identifier: string }[];
    };
    const manifest = JSON.parse(readFileSync(join(root, "packages/mcp/package.json"), "utf8")) as {
      readonly name: string;
      readonly mcpName: string;
    };
    expect(entry.name).toBe(manifest.mcpName);
    expect(entry.packages.map(({ identifier }) => identifier)).toEqual([manifest.name]);
    expect(entry.description.length).toBeLessThanOrEqual(100);
  });
});

/** A home without Phasekit, where only a plugin runs. */
const home = mkdtempSync(join(tmpdir(), "pk-plugin-"));
afterAll(() => {
  const lock = join(home, "hooks.lock");
  if (existsSync(lock))
    process.kill((JSON.parse(readFileSync(lock, "utf8")) as { readonly pid: number }).pid, "SIGKILL");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

describe("the folder that agents install", () => {
  it.each([
    ["plugins/phasekit/hooks/hooks.json", "CLAUDE_PLUGIN_ROOT", "plugins/phasekit", "UserPromptSubmit", "claude-code"],
    ["hooks/hooks.json", "extensionPath", ".", "BeforeAgent", "gemini-cli"],
  ])("%s records a session with nothing beside it", (...[file, variable, folder, event, agent]) => {
    const { hooks } = JSON.parse(readFileSync(join(root, file), "utf8")) as HooksFile;
    const command = hooks[event]?.[0]?.hooks[0]?.command.replace(`\${${variable}}`, join(root, folder)) ?? "";
    const { NODE_OPTIONS: _, ...inherited } = process.env;
    const session = `s-${agent}`;
    // Claude Code's log is named in its payloads; that is how the plugin tells it from Codex.
    const transcript = join(home, ".claude/projects/p", `${session}.jsonl`);
    const payload = {
      hook_event_name: event,
      session_id: session,
      cwd: home,
      transcript_path: transcript,
      prompt: "Fix it.",
    };
    const ask = (): string =>
      execFileSync(command, {
        shell: true,
        env: { ...inherited, PHASEKIT_HOME: home },
        input: JSON.stringify(payload),
        encoding: "utf8",
      });
    expect(ask()).toBe("");
    // A busy machine may take longer to start the server than the hook waits; the event is in the spool then.
    for (let tries = 0; tries < 20 && !existsSync(join(home, "runs", `${agent}-${session}`)); tries++) ask();
    expect(existsSync(join(home, "runs", `${agent}-${session}`))).toBe(true);
  });
});
