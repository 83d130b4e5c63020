import { join } from "node:path";
import { root } from "@phasekit/tooling/workspace";
import ts from "typescript";
import type { Block } from "./blocks.ts";
import { packageEntries } from "./package-entries.ts";

/** Returns the compiler errors of the blocks, each with the line of the page. Writes nothing to disk. */
export function checkTypes(blocks: readonly Block[]): readonly string[] {
  const files = new Map(blocks.map((block) => [fileOf(block), block]));
  const options = compilerOptions();
  const host = ts.createCompilerHost(options);
  const virtual: ts.CompilerHost = {
    ...host,
    getCurrentDirectory: () => root,
    fileExists: (file) => files.has(file) || host.fileExists(file),
    readFile: (file) => files.get(file)?.code ?? host.readFile(file),
    getSourceFile: (file, target) => {
      const block = files.get(file);
      return block === undefined ? host.getSourceFile(file, target) : ts.createSourceFile(file, block.code, target);
    },
  };
  const program = ts.createProgram({ rootNames: [...files.keys()], options, host: virtual });
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n  ");
    const { file, start = 0 } = diagnostic;
    if (file === undefined) return text;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return `${files.get(file.fileName)?.page ?? file.fileName}:${line} ${text}`;
  });
}

/** Where a block would be if it were a file: beside its page, so that it finds what the page's package finds. */
function fileOf({ folder, line, page }: Block): string {
  return join(folder, `${page.replaceAll(/[^a-z]+/gi, "-")}-${line}.ts`).replaceAll("\\", "/");
}

/** The options of every package, and the sources of all of them. */
function compilerOptions(): ts.CompilerOptions {
  const file = join(root, "tooling/tsconfig/base.json");
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const paths = Object.fromEntries([...packageEntries()].map(([specifier, source]) => [specifier, [source]]));
  return { ...options, paths: { ...paths, ...hostLibraries } };
}

/** Pages outside of a package show frameworks and drivers too; they find them where the packages do that use them. */
const hostLibraries = {
  "@anthropic-ai/claude-agent-sdk": [
    join(root, "packages/adapters/claude-agent/node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts"),
  ],
  ai: [join(root, "packages/adapters/ai-sdk/node_modules/ai/dist/index.d.ts")],
  "ai/test": [join(root, "packages/adapters/ai-sdk/node_modules/ai/dist/test/index.d.ts")],
  "@langchain/core/testing": [
    join(root, "packages/adapters/langchain/node_modules/@langchain/core/dist/testing/index.d.ts"),
  ],
  "@langchain/langgraph": [join(root, "packages/adapters/langchain/node_modules/@langchain/langgraph/dist/index.d.ts")],
  langchain: [join(root, "packages/adapters/langchain/node_modules/langchain/dist/index.d.ts")],
  openai: [join(root, "packages/adapters/openai/node_modules/openai/index.d.mts")],
  pg: [join(root, "packages/postgres/node_modules/@types/pg/index.d.ts")],
};
