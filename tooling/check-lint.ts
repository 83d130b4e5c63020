import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { publishedPackages, root } from "./workspace.ts";

/**
 * Runs eslint over the repository in parts. Rules that know types hold the program of every folder they have seen: one
 * process for all of them does not fit into memory.
 */
const examples = globSync("examples/*/package.json", { cwd: root })
  .map((path) => path.replaceAll("\\", "/").replace(/\/package\.json$/, ""))
  .sort();
const parts: string[][] = [
  ...publishedPackages().map(({ folder }) => [folder]),
  ...Array.from({ length: Math.ceil(examples.length / 6) }, (_, index) => examples.slice(index * 6, index * 6 + 6)),
  ["bench"],
  // The rest: the top level and the tooling.
  ["tooling", "*.js"],
];

const failed: string[] = [];
const workers = Array.from({ length: Math.min(3, availableParallelism()) }, async () => {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const { passed, output } = await lint(part);
    if (output !== "") console.log(output);
    if (!passed) failed.push(...part);
  }
});
await Promise.all(workers);
if (failed.length > 0) process.exitCode = 1;

function lint(part: readonly string[]): Promise<{ readonly passed: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    // A shell, because on Windows the tool is a .cmd file.
    const child = spawn(`eslint ${part.join(" ")} --max-warnings=0`, {
      cwd: root,
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", (code) => resolve({ passed: code === 0, output: output.trimEnd() }));
  });
}
