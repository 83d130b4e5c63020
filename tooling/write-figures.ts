import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./workspace.ts";

const BEGIN = "<!-- figures: begin -->";
const END = "<!-- figures: end -->";

/** Replaces the figures of a page, which are between two comments; the first line says when and from what they come. */
export function writeFigures(page: string, figures: string): void {
  const path = join(root, page);
  const text = readFileSync(path, "utf8");
  const [before, rest] = text.split(BEGIN);
  const [, after] = (rest ?? "").split(END);
  if (before === undefined || after === undefined) throw new Error(`${page} needs the lines ${BEGIN} and ${END}.`);
  const today = new Date().toISOString().slice(0, 10);
  const measured = `Measured on ${today} at commit \`${commit()}\`, Node ${process.version}.`;
  writeFileSync(path, `${before}${BEGIN}\n\n${measured}\n\n${figures.trim()}\n\n${END}${after}`);
}

function commit(): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
}
