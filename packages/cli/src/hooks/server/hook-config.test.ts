import type { Mode } from "@phasekit/core";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { modeFor, readHookConfig } from "./hook-config.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A home with a repository, and what each file says. */
function machine() {
  const outside = mkdtempSync(join(tmpdir(), "pk-modes-"));
  folders.push(outside);
  const home = join(outside, "home");
  const cwd = join(home, "repo/deep");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(home, "repo/.git"));
  const userConfig = join(home, "hooks.json");
  const write = (path: string, value: object): void => writeFileSync(path, JSON.stringify(value));
  return {
    home,
    cwd,
    outside,
    user: (value: object) => write(userConfig, value),
    shared: (folder: string, mode: Mode): string => {
      const path = join(folder, ".phasekit/hooks.json");
      mkdirSync(join(folder, ".phasekit"), { recursive: true });
      write(path, { modes: { codex: mode } });
      return path;
    },
    mode: (configured?: Mode): Mode =>
      modeFor("codex", { cwd, home, userConfig, ...(configured !== undefined && { configured }) }),
  };
}

describe("modeFor", () => {
  it("asks the setting for the project, the approved config and the user's setting, in this order", () => {
    const { cwd, user, mode } = machine();
    expect(mode()).toBe("observe");
    user({ modes: { codex: "nudge" } });
    expect(mode()).toBe("nudge");
    expect(mode("gate")).toBe("gate");
    user({ modes: { codex: "nudge" }, projects: { [join(cwd, "..")]: { modes: { codex: "observe" } } } });
    expect(mode("gate")).toBe("observe");
    user({ projects: { [join(cwd, "..")]: { modes: { codex: "observe" } }, [cwd]: { modes: { codex: "nudge" } } } });
    expect(mode()).toBe("nudge");
    // A folder whose name begins in the same way is another one.
    user({ projects: { [cwd.slice(0, -1)]: { modes: { codex: "gate" } } } });
    expect(mode()).toBe("observe");
  });

  it.each<[user: Mode, shared: Mode, effective: Mode]>([
    ["gate", "observe", "gate"],
    ["gate", "nudge", "gate"],
    ["nudge", "observe", "nudge"],
    ["nudge", "gate", "gate"],
    ["observe", "gate", "gate"],
    ["observe", "nudge", "nudge"],
  ])("is not loosened by the repository: user %s, shared %s, so %s", (own, theirs, effective) => {
    const { cwd, user, shared, mode } = machine();
    user({ modes: { codex: own } });
    shared(join(cwd, ".."), theirs);
    expect(mode()).toBe(effective);
  });

  it("keeps the user's decision about a project, whatever the repository says", () => {
    const { cwd, user, shared, mode } = machine();
    shared(join(cwd, ".."), "gate");
    expect(mode("nudge")).toBe("nudge");
    user({ projects: { [cwd]: { modes: { codex: "observe" } } } });
    expect(mode()).toBe("observe");
  });

  it("does not look above the repository, and not above home", () => {
    const { home, cwd, outside, shared, mode } = machine();
    shared(outside, "gate");
    expect(mode()).toBe("observe");
    shared(home, "gate");
    expect(mode()).toBe("observe");
    rmSync(join(cwd, "../.git"), { recursive: true });
    expect(mode()).toBe("gate");
  });

  it("ignores a file that others can write, or own", () => {
    const { cwd, shared, mode } = machine();
    const path = shared(cwd, "gate");
    expect(mode()).toBe("gate");
    chmodSync(path, 0o666);
    expect(mode()).toBe("observe");
    chmodSync(path, 0o644);
    chmodSync(join(cwd, ".phasekit"), 0o777);
    expect(mode()).toBe("observe");
    chmodSync(join(cwd, ".phasekit"), 0o755);
    if (process.getuid?.() !== 0) return;
    chownSync(path, 65_534, 65_534);
    expect(mode()).toBe("observe");
  });
});

describe("readHookConfig", () => {
  it.each([
    ["30 MB of brackets", () => Buffer.from("[".repeat(30_000_000))],
    ["brackets below the limit of size", () => Buffer.from(`{"modes":${"[".repeat(100_000)}`)],
    ["not JSON", () => Buffer.from("{")],
    ["a list", () => Buffer.from("[1]")],
    ["names of Object.prototype", () => Buffer.from('{"modes":{"constructor":"gate"},"projects":{"__proto__":{}}}')],
  ])("takes %s for no setting", (_what, text) => {
    const { cwd } = machine();
    writeFileSync(join(cwd, "hooks.json"), text());
    expect(readHookConfig(join(cwd, "hooks.json")).modes.codex).toBeUndefined();
  });

  it("takes a file of 3 GB for no setting", () => {
    const { cwd } = machine();
    writeFileSync(join(cwd, "hooks.json"), "{");
    truncateSync(join(cwd, "hooks.json"), 3_000_000_000);
    expect(readHookConfig(join(cwd, "hooks.json")).modes).toEqual({});
  });
});
