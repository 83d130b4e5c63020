import { expect, it } from "vitest";
import { renderStatusLine } from "./status-line.ts";

it.each([
  [undefined, {}, "phasekit: no live session"],
  [{ mode: "observe", state: "idle" }, {}, "phasekit observe · idle"],
  [{ mode: "gate", state: "running", phase: "acting", turns: 1 }, {}, "phasekit gate · acting · 1 turn"],
  [
    { mode: "nudge", state: "running", phase: "acting", turns: 2, tokens: 950, cost: 0.5 },
    {},
    "phasekit nudge · acting · 2 turns · 950 tokens · $0.50",
  ],
  [{ mode: "nudge", state: "running", phase: "acting", tokens: 12_345 }, {}, "phasekit nudge · acting · 12k tokens"],
  [{ mode: "nudge", state: "running", phase: "acting", tokens: 999_700 }, {}, "phasekit nudge · acting · 1.0M tokens"],
  [
    { mode: "gate", state: "waiting", phase: "verifying", turns: 12, alert: "stall ×4", owed: ["tests-fresh"] },
    { cost: { total_cost_usd: 0.4213 }, context_window: { used_percentage: 41.6 } },
    "phasekit gate · verifying (waiting) · 12 turns · $0.42 · context 42 % · ! stall ×4 · owed: tests-fresh",
  ],
] as const)("renders %j", (status, host, line) => {
  expect(renderStatusLine(status, host)).toBe(line);
});
