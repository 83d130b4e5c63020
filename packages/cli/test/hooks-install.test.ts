import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentNames } from "@phasekit/hooks";
import { applyInstall, planInstall, uninstall } from "../src/hooks/install/apply-install.ts";
import { diagnose } from "../src/hooks/install/diagnose.ts";
import { writePlugin } from "../src/hooks/install/write-plugin.ts";
import { serveHooks } from "../src/hooks/server/serve-hooks.ts";
import { afterEach, describe, expect, it, vi } from "vitest";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function machine() {
  const folder = mkdtempSync(join(tmpdir(), "pk-install-"));
  folders.push(folder);
  const home = join(folder, "home");
  const cwd = join(folder, "project");
  mkdirSync(home);
  mkdirSync(cwd);
  return { folder, home, cwd, root: join(home, ".phasekit") };
}

function readKey(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "(there is none)";
}

/** Every file below a folder with its bytes. */
function snapshot(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

describe("installing on a machine", () => {
  it.each(agentNames)("for %s and uninstalling leaves the machine as it was", async (agent) => {
    const { folder, ...options } = machine();
    const { target } = planInstall(agent, options);
    mkdirSync(join(target, ".."), { recursive: true });
    if (agent !== "opencode" && agent !== "pi") writeFileSync(target, '{\t"mine": [1,  2]}');
    const before = snapshot(folder);
    expect(snapshot(folder)).toEqual(before);
    await applyInstall(planInstall(agent, { ...options, mode: "nudge" }));
    await applyInstall(planInstall(agent, { ...options, mode: "gate" }));
    expect(existsSync(join(options.root, "bin", "hook.cjs"))).toBe(true);
    expect((await diagnose(agent, { ...options, env: {} })).isInstalled).toBe(true);
    await uninstall(agent, options);
    rmSync(join(options.root, "runs"), { recursive: true, force: true });
    expect(snapshot(folder)).toEqual(before);
  });

  it("asks a server that runs to make room for one with the new settings", async () => {
    const { folder: _folder, ...options } = machine();
    const plan = planInstall("codex", options);
    await applyInstall(plan);
    const server = await serveHooks({ paths: plan.paths });
    expect(server).toBeDefined();
    await applyInstall(planInstall("codex", { ...options, mode: "gate" }));
    await server?.closed;
    const { pid } = JSON.parse(readFileSync(plan.paths.lock, "utf8")) as { readonly pid: number };
    expect(pid).not.toBe(process.pid);
    await uninstall("codex", options);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 30_000 });
  });

  it("is diagnosed: what is missing is named with its fix", async () => {
    const { folder: _folder, ...options } = machine();
    expect(await diagnose("codex", { ...options, env: {} })).toMatchObject({
      isInstalled: false,
      findings: [{ level: "warning", fix: "phasekit init codex" }],
    });
    await applyInstall(planInstall("codex", options));
    const { target } = planInstall("codex", options);
    const settings = JSON.parse(readFileSync(target, "utf8")) as { hooks: Record<string, unknown> };
    delete settings.hooks["Stop"];
    writeFileSync(target, JSON.stringify(settings));
    rmSync(join(options.root, "bin", "server.mjs"));
    const { findings } = await diagnose("codex", { ...options, env: {} });
    expect(
      findings
        .filter(({ level }) => level !== "ok")
        .map(({ text, fix }) => [text.replace(target, "FILE").replace(options.root, "ROOT"), fix]),
    ).toEqual([
      ["user: FILE has no entry for Stop", "phasekit init codex --scope user"],
      ["Codex trusts 0 of 9 hooks of FILE and skips the others silently", "codex, then /hooks"],
      ["ROOT/bin/server.mjs is missing", "phasekit init codex"],
      ["the local server does not run; the next event starts it", undefined],
    ]);
    await uninstall("codex", options);
  });

  it("is diagnosed: entries of an earlier version that went to a port", async () => {
    const { folder: _folder, ...options } = machine();
    await applyInstall(planInstall("claude-code", options));
    const { target } = planInstall("claude-code", options);
    const settings = JSON.parse(readFileSync(target, "utf8")) as { hooks: Record<string, unknown> };
    const url = "http://127.0.0.1:4123/phasekit/claude-code";
    settings.hooks["PreToolUse"] = [{ hooks: [{ type: "http", url, headers: { Authorization: "Bearer x" } }] }];
    writeFileSync(target, JSON.stringify(settings));
    const problems = async (): Promise<readonly unknown[]> =>
      (await diagnose("claude-code", { ...options, env: {} })).findings
        .filter(({ level }) => level === "error")
        .map(({ text, fix }) => [text.replace(target, "FILE"), fix]);
    expect(await problems()).toEqual([
      [
        "user: FILE has entries of an earlier version, which send events to a port that others can take",
        "phasekit init claude-code --scope user",
      ],
    ]);
    await applyInstall(planInstall("claude-code", options));
    expect(await problems()).toEqual([]);
    expect(readFileSync(target, "utf8")).not.toContain("http");
    await uninstall("claude-code", options);
  });

  it("is diagnosed: a program in the place of the server, which gets nothing but a question", async () => {
    const { folder: _folder, ...options } = machine();
    const { paths } = planInstall("codex", options);
    await applyInstall(planInstall("codex", options));
    const received: string[] = [];
    const squatters = [paths.socket, paths.control].map((address) =>
      createServer((socket) => {
        socket.on("error", () => undefined);
        socket.on("data", (chunk: Buffer) => {
          received.push(chunk.toString());
          socket.write('\u0006{"pid":1,"mode":"gate"}\n\u0006{"pid":1,"mode":"gate"}\0');
        });
      }).listen(address),
    );
    const { findings } = await diagnose("codex", { ...options, env: {} });
    for (const squatter of squatters) await new Promise((resolve) => squatter.close(resolve));
    expect(findings.filter(({ level }) => level === "error").map(({ text }) => text)).toEqual([
      expect.stringMatching(/^the hook command exits with 0 and prints|^a canned event did not reach/),
      `a program that is not our server answers on ${paths.control}`,
    ]);
    expect(received.join("")).not.toContain(readKey(paths.key));
    await uninstall("codex", options);
  });

  it.each([0o777, 0o775])("is refused in a folder of mode %o, and nothing is written", (mode) => {
    const { folder, ...options } = machine();
    mkdirSync(options.root);
    chmodSync(options.root, mode);
    const before = snapshot(folder);
    // The group of a user who has one of their own does not count.
    if (mode === 0o775 && process.getuid?.() === process.getgid?.()) return;
    expect(() => planInstall("codex", options)).toThrow(expect.objectContaining({ code: "UNSAFE_FOLDER" }));
    expect(snapshot(folder)).toEqual(before);
  });

  it("makes folders that only this user can open, whatever the umask", async () => {
    const { folder: _folder, ...options } = machine();
    const umask = process.umask(0);
    const { paths } = planInstall("codex", options);
    await applyInstall(planInstall("codex", options));
    process.umask(umask);
    for (const path of [paths.root, paths.bin, paths.installs])
      expect((statSync(path).mode & 0o777).toString(8)).toBe("700");
    await uninstall("codex", options);
  });

  it("as a plugin folder carries everything it needs", () => {
    const { folder } = machine();
    const files = writePlugin(join(folder, "plugin"), { version: "1.2.3" });
    for (const file of files) expect(existsSync(join(folder, "plugin", file))).toBe(true);
    expect(JSON.parse(readFileSync(join(folder, "plugin/.claude-plugin/plugin.json"), "utf8"))).toMatchObject({
      name: "phasekit",
      version: "1.2.3",
    });
  });
});
