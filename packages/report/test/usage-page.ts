import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromSources } from "@phasekit/tooling/source-condition";

const MODELS = ["claude-sonnet-5", "claude-opus-5", "claude-haiku-4-5"];
const DAYS = [1, 2, 3, 5, 6, 8, 9, 12, 13, 14, 15, 19, 20, 21];

/** Returns the page that `phasekit usage --out` writes about a session of two weeks. */
export function usagePage(folder: string): string {
  const home = join(folder, "home");
  const sessions = join(home, ".claude", "projects", "-work-shop");
  mkdirSync(sessions, { recursive: true });
  const line = (day: number, index: number): string =>
    JSON.stringify({
      type: "assistant",
      uuid: `uuid-${String(day)}`,
      sessionId: "one",
      cwd: "/work/shop",
      timestamp: `2026-01-${String(day).padStart(2, "0")}T09:00:00.000Z`,
      requestId: `request-${String(day)}`,
      message: {
        id: `message-${String(day)}`,
        type: "message",
        role: "assistant",
        model: MODELS[index % MODELS.length],
        content: [{ type: "text", text: "Done." }],
        usage: {
          input_tokens: 100_000 + 90_000 * (index % 4),
          output_tokens: 20_000 + 9000 * (index % 5),
          cache_read_input_tokens: 800_000 * (1 + (index % 3)),
        },
      },
    });
  writeFileSync(join(sessions, "one.jsonl"), `${DAYS.map(line).join("\n")}\n`);
  const bin = join(import.meta.dirname, "../../cli/src/bin.ts");
  const { stdout, stderr } = spawnSync(process.execPath, fromSources(bin, "usage", "--out", "usage.html"), {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home },
    encoding: "utf8",
  });
  if (!stdout.includes("usage.html")) throw new Error(stdout + stderr);
  return readFileSync(join(home, "usage.html"), "utf8");
}
