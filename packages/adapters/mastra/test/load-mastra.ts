import { describe, it } from "vitest";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const isSupported = major > 22 || (major === 22 && minor >= 13);

/** Loads a file of tests that import Mastra. Older versions of Node cannot: there, one skipped test says so. */
export async function loadMastra<T>(load: () => Promise<T>, define: (module: T) => void): Promise<void> {
  if (isSupported) define(await load());
  else
    describe("@mastra/core", () => {
      it.skip(`needs Node 22.13 or newer; this is ${process.versions.node}`, () => undefined);
    });
}
