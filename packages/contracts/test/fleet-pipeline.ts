import type { Judge } from "../src/index.ts";
import { buildContracts } from "../src/testing.ts";

/** Three phases; the second is left to a judge. */
export const contracts = buildContracts([
  { phase: "plan" },
  { phase: "design", validation: { mode: "judge" }, judge_timeout: "1s" },
  { phase: "build", validation: { mode: "trust" } },
]);

export const JUDGE: Judge = () => ({ verdict: "approved", reason: "ok" });
