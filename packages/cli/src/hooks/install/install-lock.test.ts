import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeProcesses } from "@phasekit/ledger/node";
import { afterEach, describe, expect, it } from "vitest";
import { withInstallLock } from "./install-lock.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function place(): { readonly root: string; readonly lock: string } {
  const folder = mkdtempSync(join(tmpdir(), "pk-lock-"));
  folders.push(folder);
  return { root: join(folder, "root"), lock: join(folder, "root/install.lock") };
}

describe("withInstallLock", () => {
  it("lets one installation work after the other, also if one of them fails or removes the folder", async () => {
    const { root } = place();
    let active = 0;
    const seen: number[] = [];
    const work = async (name: number): Promise<number> => {
      active += 1;
      seen.push(active);
      await new Promise((resolve) => setTimeout(resolve, 5));
      active -= 1;
      if (name === 1) throw new Error("failed");
      if (name === 2) rmSync(root, { recursive: true });
      return name;
    };
    const results = await Promise.allSettled(
      [0, 1, 2, 3].map(async (name) => await withInstallLock({ root }, async () => await work(name))),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect([seen, existsSync(join(root, "install.lock"))]).toEqual([[1, 1, 1, 1], false]);
  });

  it.each<[string, () => string]>([
    ["a process that is gone", () => JSON.stringify({ ...nodeProcesses().self(), ...gone() })],
    ["no process", () => "{}"],
    ["nothing", () => ""],
  ])("takes a lock that names %s", async (_name, text) => {
    const { root, lock } = place();
    await withInstallLock({ root }, () => Promise.resolve());
    writeFileSync(lock, text());
    expect(await withInstallLock({ root }, () => Promise.resolve("done"))).toBe("done");
    expect(readdirSync(root)).toEqual([]);
  });

  it("refuses a folder that cannot be made", async () => {
    const { root } = place();
    writeFileSync(root, "");
    const refusal = expect.objectContaining({ code: "UNWRITABLE_SETTINGS" }) as unknown;
    await expect(withInstallLock({ root }, () => Promise.resolve())).rejects.toEqual(refusal);
  });
});

/** The number of a process that ended. */
function gone(): { readonly pid: number; readonly start: string } {
  return { pid: spawnSync(process.execPath, ["-e", ""]).pid, start: "1" };
}
