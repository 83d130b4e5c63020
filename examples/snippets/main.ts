// Type-checks every block of TypeScript in the documentation against the sources of the packages, and runs it.
import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { blocksIn, documentedBlocks } from "./blocks.ts";
import { checkTypes } from "./check-types.ts";
import { compareOutput, runBlock } from "./run-block.ts";

// A checker that finds nothing is green too: first it must see a mistake of each kind.
const mistakes = blocksIn(
  '```ts\nimport { createRun } from "@phasekit/core";\ncreateRun({ mode: "loud" });\n```\n\n```text examples/first-run/main.ts\nHello\n```\n',
  "README.md",
);
assert.match(checkTypes(mistakes.blocks).join("\n"), /^README\.md:3 .*"loud"/);
for (const block of mistakes.blocks)
  assert.match((await runBlock(block)) ?? "", /^README\.md:3 ended with exit code 1/);
for (const output of mistakes.outputs) assert.match((await compareOutput(output)) ?? "", /^README\.md:7 is not what/);

const { blocks, outputs } = documentedBlocks();
assert.ok(blocks.length > 0 && outputs.length > 0, "Nothing to check was found in the documentation.");
const running = [
  ...blocks.filter(({ runs }) => runs).map((block) => () => runBlock(block)),
  ...outputs.map((output) => () => compareOutput(output)),
];
const problems = [...checkTypes(blocks), ...(await runAll(running))];
for (const problem of problems) console.error(problem);
console.log(`docs: ${blocks.length} blocks of TypeScript, ${running.length} programs run, ${problems.length} problems`);
if (problems.length > 0) process.exitCode = 1;

/** Runs programs side by side, as many as there are processors. */
async function runAll(waiting: readonly (() => Promise<string | undefined>)[]): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = [...waiting];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const problem = await next();
      if (problem !== undefined) found.push(problem);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return found;
}
