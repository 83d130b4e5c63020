import { spawn } from "node:child_process";
import { root } from "./workspace.ts";

/** The steps of `pnpm check` after the build. All of them run, so that one look shows everything there is to fix. */
const steps: Readonly<Record<string, readonly string[]>> = {
  prettier: ["prettier", "--check", "--cache", "--log-level=warn", "."],
  eslint: ["eslint", "--max-warnings=0", "."],
  "oxlint, with types": ["oxlint"],
  "tables without a prototype": ["node", "tooling/check-tables.ts"],
  "publint, are-the-types-wrong": ["node", "tooling/check-published.ts"],
  knip: ["knip", "--no-config-hints"],
  "size budget": ["node", "tooling/check-size.ts"],
  "API reports": ["node", "tooling/api-report.ts"],
  words: ["node", "tooling/check-words.ts"],
  "counts: values, files, functions": ["node", "tooling/check-counts.ts"],
  docs: ["node", "tooling/check-docs.ts"],
  site: ["node", "site/build.ts"],
  workflows: ["node", "tooling/check-workflows.ts"],
  "plugin folder": ["node", "--conditions=phasekit-source", "tooling/write-plugin.ts", "--check"],
};

const failed: string[] = [];
const waiting = Object.entries(steps);
await Promise.all(
  ["first", "second"].map(async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(...step);
  }),
);
if (failed.length > 0) {
  console.error(`\ncheck failed: ${failed.join("; ")}`);
  process.exitCode = 1;
}

async function runStep(name: string, command: readonly string[]): Promise<void> {
  const started = performance.now();
  const { passed, output } = await run(command);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${passed ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (output !== "") console.log(output.replaceAll(/^/gm, "  "));
  if (!passed) failed.push(name);
}

function run([file = "", ...args]: readonly string[]): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    // A shell, because on Windows the tools are .cmd files.
    const child = spawn([file, ...args].join(" "), { cwd: root, shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => (output += chunk.toString());
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", (code) => resolve({ passed: code === 0, output: output.trimEnd() }));
  });
}
