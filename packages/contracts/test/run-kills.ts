import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HookMessage } from "../src/index.ts";
import { createSqliteWorkStore } from "../src/sqlite.ts";
import { checkHistory } from "./check-history.ts";
import { recover, type Time } from "./play-history.ts";
import { createRandom } from "./random.ts";

/** Kills a process in the middle of its histories, again and again, and checks what the next one finds. */
export async function runKills({
  kills,
  seed = 7,
}: {
  readonly kills: number;
  readonly seed?: number;
}): Promise<{ readonly kills: number; readonly items: number; readonly problems: readonly string[] }> {
  const random = createRandom(seed);
  const problems: string[] = [];
  let items = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    const folder = mkdtempSync(join(tmpdir(), "phasekit-kill-"));
    try {
      const path = join(folder, "work.db");
      const log = join(folder, "told.log");
      await killOne([path, log, String(kill * 1000)], 2 + random.below(250));
      const time: Time = { now: Date.parse("2026-06-01T00:00:00Z") };
      const store = createSqliteWorkStore({ path, acknowledge: "kernel", clock: () => time.now });
      const listed = await store.list({ limit: 100_000 });
      items += listed.length;
      // The line the victim was writing when it died tells nothing.
      const lines = existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .slice(0, -1)
            .map((line) => JSON.parse(line) as { readonly claim?: string; readonly message?: HookMessage })
        : [];
      const delivered = lines.flatMap(({ message }) => message ?? []);
      let ids = 0;
      await recover(store, {
        items: listed,
        time,
        deliver: (message) => void delivered.push(message),
        createId: () => `recovered-${(ids += 1)}`,
      });
      problems.push(
        ...(
          await checkHistory(store, {
            acknowledged: lines.flatMap(({ claim }) => claim ?? []),
            delivered,
            items: listed,
          })
        ).map((problem) => `kill ${kill}: ${problem}`),
      );
      store.close?.();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { kills, items, problems };
}

async function killOne(options: readonly string[], afterMs: number): Promise<void> {
  const victim = spawn(process.execPath, [fileURLToPath(new URL("./kill-victim.ts", import.meta.url)), ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = new Promise<void>((resolve) => victim.once("close", () => resolve()));
  const ready = new Promise<true>((resolve) => victim.stdout.once("data", () => resolve(true)));
  if ((await Promise.race([ready, closed])) !== true) throw new Error("The victim died before it was killed.");
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  victim.kill("SIGKILL");
  await closed;
}
