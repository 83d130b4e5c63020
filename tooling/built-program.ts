import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace.ts";

/** The command line as it is published: the cost of its start and its reading is measured on it, not on the sources. */
export interface BuiltProgram {
  readonly file: string;
  /** The environment of this process without the condition that leads to our sources. */
  readonly env: NodeJS.ProcessEnv;
}

let built: BuiltProgram | undefined;

/** Builds what is published, once per process; turbo builds nothing that did not change. */
export function buildProgram(): BuiltProgram {
  built ??= build();
  return built;
}

function build(): BuiltProgram {
  const { NODE_OPTIONS: _, ...env } = process.env;
  // Its output goes to stderr.
  const { status } = spawnSync(process.execPath, ["tooling/start.mjs", "--built"], {
    cwd: root,
    env,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error("The build failed.");
  return { file: join(root, "packages/cli/dist/bin.js"), env };
}
