import type { Judge } from "../src/index.ts";
import { defineContracts } from "../src/contract/define-contracts.ts";

/** Three phases; the second is left to a judge. */
export const contracts = defineContracts([
  { phase: "plan" },
  { phase: "design", validation: { mode: "judge" }, judge_timeout: "1s" },
  { phase: "build", validation: { mode: "trust" } },
]);

export const JUDGE: Judge = () => ({ verdict: "approved", reason: "ok" });
