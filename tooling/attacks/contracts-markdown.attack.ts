import { hostileMarkdown } from "../../packages/contracts/src/__fixtures__/hostile-markdown.ts";
import { findEmptySections, findMissingSections } from "../../packages/contracts/src/contract/sections.ts";
import { findEscalations } from "../../packages/contracts/src/triggers/escalation-triggers.ts";
import type { Attack } from "./attack.ts";

const SIZES = [10_000, 100_000, 1_000_000] as const;

/** Artifacts that aim at the time of their reader: fails where the time grows faster than the text. */
export const attack: Attack = {
  name: "contracts-markdown",
  areas: 1,
  run: async ({ pause, total }) => {
    for (const make of hostileMarkdown.values()) cpuOf(make(3000));
    const measured: ShapeTimes[] = [];
    for (const [shape, make] of hostileMarkdown) {
      await pause(measured.length, hostileMarkdown.size);
      measured.push(measureShape(shape, make));
    }
    const [slowest] = measured.toSorted((one, other) => other.middle - one.middle);
    const largest = Math.max(...measured.map(({ large }) => large));
    total({
      area: "Markdown artifacts, 10 kB to 1 MB",
      tried: measured.length * SIZES.length,
      failures: measured.filter(({ held }) => !held).map(({ shape }) => `${shape} grows faster than the text`),
      note:
        `slowest at 100 kB: ${slowest?.shape ?? ""}, ${slowest?.middle.toFixed(0) ?? ""} ms of CPU; ` +
        `at 1 MB: ${largest.toFixed(0)} ms`,
    });
  },
};

interface ShapeTimes {
  readonly shape: string;
  readonly middle: number;
  readonly large: number;
  readonly held: boolean;
}

function measureShape(shape: string, make: (size: number) => string): ShapeTimes {
  const [small = 0, middle = 0, large = 0] = SIZES.map((size) => cpuOf(make(size)));
  return { shape, middle, large, held: large <= 25 * Math.max(middle, 10) && middle <= 25 * Math.max(small, 10) };
}

/** Milliseconds of CPU to read one artifact as a claim reads it. */
function cpuOf(text: string): number {
  const before = process.cpuUsage();
  findMissingSections(text, ["risks"]);
  findEmptySections(text, ["risks"]);
  findEscalations(["security_sensitive", "open_questions_present"], {
    claim: { open_questions: [], summary: "", completed_phase: "research" },
    artifact: { status: "found", text, path: "a.md", hash: "", from: "worktree" },
  });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
