import { describe, expect, it } from "vitest";
import { findGrowth, type Reader } from "./find-growth.ts";
import { boundedGrid, type HostileText } from "./hostile-text.ts";

export { fastestOf, findGrowth, type Reader } from "./find-growth.ts";

export { boundedGrid, endlessSearch, fragments, type HostileText } from "./hostile-text.ts";

/**
 * One test per reader: every hostile text is read in time that grows at most linearly. Tests measure the CPU time of
 * their own thread, and only a text that is slow again and again fails. `pnpm attacks` searches longer and is stricter.
 *
 * @example
 * describeGrowth([{ name: "readShell", read: readShell }]);
 */
export function describeGrowth(
  readers: readonly Reader[],
  { texts = boundedGrid() }: { readonly texts?: readonly HostileText[] } = {},
): void {
  describe("growth of CPU time with the length of hostile text", () => {
    it.each(readers.map((reader) => ({ name: reader.name, reader })))("$name is linear", async ({ reader }) => {
      const slow: string[] = [];
      for (const text of texts) {
        const found = await findGrowth(reader, text, { slack: 3, quick: true });
        if (found.problem !== undefined) slow.push(`${text.name}: ${found.problem}`);
        if (slow.length > 4) break;
      }
      expect(slow).toEqual([]);
    });
  });
}
