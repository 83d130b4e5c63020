import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// Puts one thing after the other where an artifact is expected, as fast as it can, until it is killed.
const [folder = "", outside = ""] = process.argv.slice(2);
const target = join(folder, "research.md");
const aside = join(folder, ".aside");

/** A text that shows by itself whether it was read whole: the last line repeats the first. */
function textOf(n: number): string {
  const mark = `Round ${n}.`;
  return `# Research\n\n## Problem\n\n${mark}\n\n## Risks\n\n${"Some risk. ".repeat(50 + (n % 500))}\n\n${mark}\n`;
}

const swaps: readonly ((n: number) => void)[] = [
  (n) => {
    writeFileSync(aside, textOf(n));
    renameSync(aside, target);
  },
  (n) => writeFileSync(target, textOf(n)),
  () => truncateSync(target, 20),
  () => {
    symlinkSync(join(outside, "secret.md"), aside);
    renameSync(aside, target);
  },
  () => {
    symlinkSync("/dev/zero", aside);
    renameSync(aside, target);
  },
  () => {
    execFileSync("mkfifo", [aside]);
    renameSync(aside, target);
  },
  () => rmSync(target, { force: true }),
  () => {
    rmSync(target, { force: true });
    mkdirSync(target);
  },
  (n) => {
    rmSync(target, { force: true, recursive: true });
    writeFileSync(target, textOf(n));
  },
  // The folder itself, too.
  () => {
    renameSync(folder, `${folder}.away`);
    symlinkSync(outside, folder);
    rmSync(folder);
    renameSync(`${folder}.away`, folder);
  },
];

for (let n = 0; ; n += 1) {
  try {
    // Good texts come most often, so that claims also pass.
    swaps[n % 3 === 0 ? 0 : n % swaps.length]?.(n);
  } catch {
    rmSync(aside, { force: true });
    rmSync(target, { force: true, recursive: true });
  }
}
