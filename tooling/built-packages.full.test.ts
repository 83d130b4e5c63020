import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { type ExportTarget, publishedPackages, root } from "./workspace.ts";

/**
 * Imports every entry of every built package by its published name, in a plain Node process without the condition that
 * leads to our sources; `pnpm test:full` builds first. Tests of the sources stay green when the build is broken; these
 * do not.
 */
describe.each(publishedPackages())("$name as built", ({ name, directory }) => {
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, ExportTarget>>;
  };
  const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === "string" ? [] : [{ specifier: name + entry.slice(1), target }],
  );

  it.each(entries)("$specifier exports what its source exports, and has types", async ({ specifier, target }) => {
    const source = join(directory, target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
    const expected = Object.keys((await import(source)) as object).sort();
    expect(namesExportedBy(specifier, directory)).toEqual(expected);
    expect(existsSync(join(directory, target.types))).toBe(true);
  });
});

it("a TypeScript project that compiles to CommonJS works with `module: nodenext`", () => {
  const folder = mkdtempSync(join(root, "packages/coding/node_modules/.phasekit-commonjs-"));
  try {
    writeFileSync(join(folder, "package.json"), `{ "type": "commonjs" }`);
    const file = join(folder, "main.ts");
    writeFileSync(file, 'import { createRun } from "@phasekit/core";\nconsole.log(createRun().view.status);\n');
    const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, types: [] };
    const program = ts.createProgram([file], options);
    const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual([]);
    expect(readFileSync(join(folder, "main.js"), "utf8")).toContain("require(");
    const env = { ...process.env, NODE_OPTIONS: "" };
    expect(execFileSync(process.execPath, [join(folder, "main.js")], { encoding: "utf8", env })).toBe("running\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function namesExportedBy(specifier: string, directory: string): unknown {
  const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier)})).sort()))`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: directory,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return JSON.parse(output);
}
