import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./workspace.ts";

/** The command line as it is published: what its start and its reading cost is measured on it, not on the sources. */
export interface BuiltProgram {
  readonly file: string;
  /** The environment of this process without the condition that leads to our sources. */
  readonly env: NodeJS.ProcessEnv;
}

let built: BuiltProgram | undefined;

/** Builds the command line, once per process; turbo builds nothing that did not change. */
export function buildProgram(): BuiltProgram {
  built ??= build();
  return built;
}

function build(): BuiltProgram {
  const { NODE_OPTIONS: _, ...env } = process.env;
  // A shell, because on Windows the tool is a .cmd file. The output goes to stderr: programs print results.
  const { status } = spawnSync("turbo run build --filter=phasekit... --output-logs=errors-only --log-prefix=none", {
    cwd: root,
    env: { ...env, TURBO_TELEMETRY_DISABLED: "1" },
    shell: true,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("The build of the command line failed.");
  return { file: join(root, "packages/cli/dist/bin.js"), env };
}
