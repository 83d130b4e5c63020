import { definePolicy, veto } from "@phasekit/core";
import { readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hookPaths } from "../client/hook-paths.ts";
import { createHookServer, type HookServer } from "./hook-server.ts";
import { liveConfigLoader, type LoadLiveConfig } from "./live-config.ts";

const folders: string[] = [];
const servers: HookServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pk-live-"));
  folders.push(path);
  return path;
}

const always = definePolicy({
  name: "no-end",
  decide: { "finish.requested": () => veto("Not yet.", { gate: "no-end" }) },
});

async function play(loadConfig: LoadLiveConfig, problems: unknown[] = []): Promise<readonly string[]> {
  const paths = hookPaths(folder());
  const server = createHookServer({ paths, loadConfig, onError: (problem) => problems.push(problem) });
  servers.push(server);
  const answers: string[] = [];
  for (const payload of [
    { hook_event_name: "UserPromptSubmit", prompt: "Fix it." },
    { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." },
  ]) {
    const text = JSON.stringify({ session_id: "s", cwd: "/p", ...payload });
    answers.push((await server.takeEvent({ agent: "claude-code", at: Date.now() }, text)).text);
  }
  const store = createFileStore(paths.runs);
  const [started] = await readRun(store, "claude-code-s");
  await store.close();
  const policies = started?.type === "run.started" ? started.policies : [];
  return [...answers, ...policies.map(({ name }) => name)];
}

describe("live sessions with a config", () => {
  it("use its policies and mode, and keep the protection of their own gate", async () => {
    const [, stop, ...policies] = await play((cwd) =>
      Promise.resolve({
        path: `${cwd}/phasekit.config.ts`,
        mode: "gate",
        options: (mode) => ({ mode, policies: [always] }),
      }),
    );
    expect(stop).toContain("Not yet.");
    expect(policies).toEqual(["no-end", "self-protection"]);
  });

  it.each<[string, LoadLiveConfig]>([
    ["cannot be loaded", () => Promise.reject(new Error("gone"))],
    [
      "has options that throw",
      () =>
        Promise.resolve({
          path: "x",
          options: () => {
            throw new Error("bad");
          },
        }),
    ],
    [
      "has two policies of one name",
      () => Promise.resolve({ path: "x", options: () => ({ policies: [always, always] }) }),
    ],
  ])("use the defaults and report the problem if it %s", async (_what, load) => {
    const problems: unknown[] = [];
    expect(await play(load, problems)).toEqual(expect.arrayContaining(["", "tests-fresh", "self-protection"]));
    expect(problems).not.toEqual([]);
  });
});

describe("liveConfigLoader", () => {
  const project = (): { readonly cwd: string; readonly module: string } => {
    const root = folder();
    const cwd = join(root, "project/deep");
    mkdirSync(cwd, { recursive: true });
    const module = join(root, "loader.mjs");
    writeFileSync(module, "export const loadLiveConfig = (folder) => ({ path: folder, options: () => ({}) });\n");
    return { cwd, module };
  };

  it("imports the module only where a config is", async () => {
    const { cwd, module } = project();
    let asked = 0;
    const load = liveConfigLoader({
      home: join(cwd, "../.."),
      module: () => {
        asked += 1;
        return module;
      },
    });
    expect(await load(cwd)).toBeUndefined();
    expect(asked).toBe(0);
    writeFileSync(join(cwd, "../phasekit.config.yaml"), "");
    expect(await load(cwd)).toMatchObject({ path: cwd });
    // Above the repository, and above home, anyone may have put a config.
    mkdirSync(join(cwd, ".git"));
    expect(await load(cwd)).toBeUndefined();
  });

  it("rejects if the module is gone or takes too long, and answers nothing without one", async () => {
    const { cwd, module } = project();
    writeFileSync(join(cwd, "phasekit.config.ts"), "");
    await expect(liveConfigLoader({ module: () => `${module}.gone` })(cwd)).rejects.toThrow();
    writeFileSync(module, "export const loadLiveConfig = () => new Promise(() => {});\n");
    await expect(liveConfigLoader({ module: () => module, limitMs: 50 })(cwd)).rejects.toThrow("50 ms");
    expect(await liveConfigLoader({ module: () => undefined })(cwd)).toBeUndefined();
  });
});
