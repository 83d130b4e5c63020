import { hostileMarkdown } from "../../packages/contracts/src/__fixtures__/hostile-markdown.ts";
import { findEmptySections, findMissingSections } from "../../packages/contracts/src/sections.ts";
import { findEscalations } from "../../packages/contracts/src/triggers/escalation-triggers.ts";

/** One row of the totals table. */
interface AttackTotal {
  readonly area: string;
  readonly tried: number;
  /** One line per case that did not hold. */
  readonly failures: readonly string[];
  readonly note?: string;
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

/** Reads every hostile shape at 10 kB, 100 kB and 1 MB; fails where the time grows faster than the text. */
function run(): Promise<readonly AttackTotal[]> {
  for (const make of hostileMarkdown.values()) cpuOf(make(3000));
  const measured = [...hostileMarkdown].map(([shape, make]) => {
    const [small = 0, middle = 0, large = 0] = [10_000, 100_000, 1_000_000].map((size) => cpuOf(make(size)));
    return { shape, middle, large, held: large <= 25 * Math.max(middle, 10) && middle <= 25 * Math.max(small, 10) };
  });
  const slowest = measured.toSorted((one, other) => other.middle - one.middle)[0];
  return Promise.resolve([
    {
      area: "Markdown artifacts, 10 kB to 1 MB",
      tried: measured.length * 3,
      failures: measured.filter(({ held }) => !held).map(({ shape }) => `${shape} grows faster than the text`),
      note: `slowest at 100 kB: ${slowest?.shape ?? ""}, ${slowest?.middle.toFixed(0) ?? ""} ms of CPU; at 1 MB: ${Math.max(...measured.map(({ large }) => large)).toFixed(0)} ms`,
    },
  ]);
}

/** Artifacts that aim at the time of their reader. */
export const attack = { name: "contracts-markdown", run };
