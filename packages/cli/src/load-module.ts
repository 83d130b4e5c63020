import { fileURLToPath } from "node:url";

/** Packages a config or policy file may import although nobody installed them beside it. */
const OURS = ["@phasekit/core", "@phasekit/coding", "@phasekit/contracts", "@phasekit/ledger", "phasekit"];

/**
 * The default export of a TypeScript or JavaScript file, on every Node we support. The file gets this program's own
 * copies of our packages: it can be tried without an install, and policies and player are of one version.
 */
export async function loadModule(path: string): Promise<unknown> {
  // Loaded only here: most command lines have no such file, and it takes as long to load as all of ours.
  const { createJiti } = await import("jiti");
  // Nothing is written beside other people's files.
  const jiti = createJiti(import.meta.url, { fsCache: false, moduleCache: false, alias: ownPackages() });
  return await jiti.import(path, { default: true });
}

function ownPackages(): Record<string, string> {
  return Object.fromEntries(OURS.flatMap((name) => {
    try {
      return [[name, fileURLToPath(import.meta.resolve(name))]];
    } catch {
      return [];
    }
  }));
}
