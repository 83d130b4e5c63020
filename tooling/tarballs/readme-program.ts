import { transformSync } from "esbuild";
import { readFileSync } from "node:fs";

/** The first program in a README and what it prints, by its own comments. */
export interface ReadmeProgram {
  readonly imports: string;
  readonly body: string;
  /** Lines of plain words: runtimes print objects in different ways. */
  readonly prints: readonly string[];
}

/** Reads the first block that runs; `undefined` if the README has none. */
export function readmeProgram(path: string): ReadmeProgram | undefined {
  const [, source] = /^```ts\n(.*?)^```$/ms.exec(readFileSync(path, "utf8")) ?? [];
  if (source === undefined) return undefined;
  const prints = source
    .split("\n")
    .flatMap((line) => /^console\.log\(.*\); \/\/ (.*)$/.exec(line)?.[1] ?? [])
    .filter((text) => !/[{}[\]"…]/.test(text));
  const { code } = transformSync(source, {
    loader: "ts",
    format: "esm",
    target: "es2022",
  });
  const lines = code.split("\n");
  const isImport = (line: string): boolean => /^import\b/.test(line);
  return {
    imports: lines.filter(isImport).join("\n"),
    body: lines.filter((line) => !isImport(line)).join("\n"),
    prints,
  };
}
