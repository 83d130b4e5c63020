import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SOURCE_CONDITION } from "./source-condition.ts";
import { root } from "./workspace.ts";

/** A user has neither our sources nor the condition that leads to them. */
const env = { ...process.env, NODE_OPTIONS: "" };
const folder = mkdtempSync(join(tmpdir(), "phasekit-packed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("@phasekit/core, built and packed, runs in a project without our sources", () => {
  const directory = join(root, "packages/core");
  const options = { cwd: directory, env, encoding: "utf8", shell: true } as const;
  // Without its types, which take most of a build; `pnpm test:full` builds them.
  execFileSync(`tsup --no-dts --out-dir ${join(folder, "dist")}`, options);
  execFileSync(`pnpm pack --pack-destination ${folder}`, options);
  const installed = join(folder, "node_modules/@phasekit/core");
  mkdirSync(installed, { recursive: true });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  rmSync(join(installed, "dist"), { recursive: true, force: true });
  execFileSync("cp", ["-r", join(folder, "dist"), join(installed, "dist")]);

  expect(readFileSync(join(installed, "package.json"), "utf8")).not.toContain(SOURCE_CONDITION);
  const program = join(folder, "main.mjs");
  writeFileSync(
    program,
    `import { createRun, trackRun } from "@phasekit/core";
import { buildRun } from "@phasekit/core/testing";
const run = createRun();
await trackRun(run, async () => run.beforeTurn());
console.log(run.outcome?.reason, typeof buildRun);`,
  );
  expect(execFileSync(process.execPath, [program], { env, encoding: "utf8" })).toBe("done function\n");
});
