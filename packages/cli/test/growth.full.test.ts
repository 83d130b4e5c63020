import { codingRun } from "@phasekit/coding";
import { boundedGrid, describeGrowth, fastestOf } from "@phasekit/tooling/growth";
import { contractReaders, runReaders, textReaders } from "@phasekit/attacks/readers";
import { describe, expect, it } from "vitest";

const texts = boundedGrid();

describeGrowth([...textReaders, ...contractReaders], { texts });
// A whole run costs more per text, so it gets every fifth of them; `pnpm attacks` tries all.
describeGrowth(runReaders, { texts: texts.filter((_text, index) => index % 5 === 0) });

describe("5 MB of binary data", () => {
  const data = new Uint8Array(5_000_000);
  it.each([
    { place: "as input", input: data, output: "ok" },
    { place: "in a member of the input", input: { image: data }, output: "ok" },
    { place: "as output", input: {}, output: data },
    { place: "in a list of the output", input: {}, output: [{ type: "image", source: { data } }] },
  ])("binary data $place does not slow a run down", async ({ input, output }) => {
    const ms = await fastestOf(() => {
      const run = codingRun();
      for (const call of ["1", "2"]) {
        run.record({ type: "tool.requested", call, tool: "screenshot", input });
        run.record({ type: "tool.finished", call, tool: "screenshot", input, outcome: "ok", output });
      }
    });
    expect(ms).toBeLessThan(150);
  });
});
