import { fileURLToPath } from "node:url";

/** Packages a config or policy file may import without installing them, and where this program has them. */
const OURS = {
  "@phasekit/core": "@phasekit/core",
  "@phasekit/core/account": "@phasekit/core/account",
  "@phasekit/core/adapter": "@phasekit/core/adapter",
  "@phasekit/coding": "#own/coding",
  "@phasekit/contracts": "#own/contracts",
  "@phasekit/ledger": "#own/ledger",
  phasekit: "phasekit",
};

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
    Object.entries(OURS).flatMap(([name, place]) => {
      try {
        return [[name, fileURLToPath(import.meta.resolve(place))]];
      } catch {
        return [];
      }
    }),
  );
}
