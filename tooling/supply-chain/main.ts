import { exec } from "node:child_process";
import { promisify } from "node:util";
import { publishedPackages } from "../workspace.ts";
import { writeFigures } from "../write-figures.ts";
import { readClosure } from "./read-closure.ts";
import { foreignOf, renderTables } from "./render-page.ts";

// Writes the tables of docs/supply-chain.md. The npm registry says when each package was last released.
const run = promisify(exec);
const closures = publishedPackages().map(readClosure);
const released = new Map<string, string>();
for (const { name } of foreignOf(closures)) released.set(name, await newestRelease(name));
writeFigures("docs/supply-chain.md", renderTables(closures, released));
console.log(`Wrote docs/supply-chain.md: ${String(released.size)} packages of others.`);

async function newestRelease(name: string): Promise<string> {
  const { stdout } = await run(`npm view ${name} version time --json`);
  const { version, time } = JSON.parse(stdout) as { readonly version: string; readonly time: Record<string, string> };
  return time[version]?.slice(0, 10) ?? "unknown";
}
