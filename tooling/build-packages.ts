import { spawnSync } from "node:child_process";
import { root } from "./workspace.ts";

/** Builds what is published, or the packages a filter of turbo names; what did not change since is not built again. */
export function buildPackages(...filters: readonly string[]): void {
  const options = ["--output-logs=errors-only", "--log-prefix=none", ...filters.map((filter) => `--filter=${filter}`)];
  // A shell, because on Windows the tool is a .cmd file. The output goes to stderr: some programs print results.
  const { status, stdout } = spawnSync(`turbo run build ${options.join(" ")}`, {
    cwd: root,
    shell: true,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status === 0) return;
  process.stderr.write(stdout);
  throw new Error("The build failed.");
}
