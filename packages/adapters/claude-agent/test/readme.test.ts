import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("The example of README.md runs as it is written, with a scripted Claude Code", async () => {
  const readme = readFileSync(`${import.meta.dirname}/../README.md`, "utf8");
  const code = (/```ts no-run\n([\s\S]*?)```/.exec(readme)?.[1] ?? "")
    .replace("@anthropic-ai/claude-agent-sdk", "./scripted-query.ts")
    .replace("@phasekit/claude-agent", "../src/index.ts");
  const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "-e", code], {
    cwd: import.meta.dirname,
  });
  expect(stdout.trim().split("\n")).toEqual(["success 1", "done 1 20"]);
});
