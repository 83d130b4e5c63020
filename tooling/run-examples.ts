import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { root } from "./workspace.ts";

/** Runs the `demo` script of every example; each exits non-zero if its result is not the one it promises. */
export async function runExamples(): Promise<boolean> {
  const waiting = globSync("examples/*/package.json", { cwd: root }).sort().flatMap(programsOf);
  const count = waiting.length;
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { passed, output } = await run(next);
      if (passed) continue;
      failed.push(next);
      console.log(`${next} failed:\n${output}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`${String(count - failed.length)} programs passed, ${String(failed.length)} failed`);
  return count > 0 && failed.length === 0;
}

/** The files that a `demo` script starts, from the root. */
function programsOf(manifest: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, manifest), "utf8")) as {
    readonly scripts?: Readonly<Record<string, string>>;
  };
  return [...(scripts?.["demo"] ?? "").matchAll(/start\.mjs (\S+\.ts)/g)].map(([, file = ""]) =>
    join(dirname(manifest), file),
  );
}

function run(program: string): Promise<{ readonly passed: boolean; readonly output: string }> {
  const path = join(root, program);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path], { cwd: dirname(path), stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", (code) => resolve({ passed: code === 0, output }));
  });
}
