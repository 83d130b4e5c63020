import { fileURLToPath } from "node:url";

/** Packages a config or policy file may import without installing them. */
const OURS = [
  "@phasekit/core",
  "@phasekit/core/account",
  "@phasekit/core/adapter",
  "@phasekit/coding",
  "@phasekit/contracts",
  "@phasekit/ledger",
  "phasekit",
];

/**
 * Returns the default export of a TypeScript or JavaScript file, on every supported Node. The file gets this program's
 * own copies of the Phasekit packages, so it needs no install and all versions match.
 */
export async function loadModule(path: string): Promise<unknown> {
  // Imported here because most commands need no such file, and jiti loads as slowly as the rest of the program.
  const { createJiti } = await import("jiti");
  // Write no cache files next to the user's files.
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, alias: ownPackages() });
  return await jiti.import(path, { default: true });
}

function ownPackages(): Record<string, string> {
  return Object.fromEntries(
    OURS.flatMap((name) => {
      try {
        return [[name, fileURLToPath(import.meta.resolve(name))]];
      } catch {
        return [];
      }
    }),
  );
}
