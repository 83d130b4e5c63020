import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-(?=[0-9a-f]{12}\b)|\b(?:msg|req)_[0-9A-Za-z]{4}/g;

/**
 * Writes a home folder with copies of recorded Claude Code sessions. Every copy has ids of its own, because ccusage
 * counts an answer only once.
 */
export function makeLogs(
  home: string,
  { from, copies }: { readonly from: string; readonly copies: number },
): { readonly logs: number; readonly bytes: number } {
  const sessions = readdirSync(from)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ name, text: readFileSync(join(from, name), "utf8") }));
  let bytes = 0;
  for (let copy = 0; copy < copies; copy += 1) {
    const folder = join(home, ".claude", "projects", `-home-dev-project-${String(copy % 12)}`);
    mkdirSync(folder, { recursive: true });
    const mark = copy.toString(16).padStart(4, "0");
    for (const { name, text } of sessions) {
      const own = text.replace(ID, (id) => (id.includes("_") ? id.slice(0, -4) + mark : `${id.slice(0, -5)}${mark}-`));
      const session = name.replace(/^.*__/, "").replace(ID, (id) => `${id.slice(0, -5)}${mark}-`);
      writeFileSync(join(folder, session), own);
      bytes += Buffer.byteLength(own);
    }
  }
  return { logs: copies * sessions.length, bytes };
}
