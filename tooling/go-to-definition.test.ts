import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "./workspace.ts";

it("an editor goes from an adapter to the sources of core", () => {
  const file = join(root, "packages/adapters/ai-sdk/src/with-phases.ts");
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, "packages/adapters/ai-sdk/tsconfig.json"),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  const options = config?.options ?? {};
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
    realpath: (name) => ts.sys.realpath?.(name) ?? name,
  });
  const text = ts.sys.readFile(file) ?? "";
  const at = text.indexOf("RunSource");
  expect(at).toBeGreaterThan(0);
  const [definition] = service.getDefinitionAtPosition(file, at) ?? [];
  expect(definition?.fileName.replaceAll("\\", "/")).toMatch(/\/packages\/core\/src\/.*\.ts$/);
});
