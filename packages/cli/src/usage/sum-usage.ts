import { createModelUseFold } from "@phasekit/ledger/story";
import type { PriceList } from "../money/price-list.ts";
import { type RunCost, runCost } from "../money/run-cost.ts";
import type { UsageEntry } from "./usage-entry.ts";

/** The groups that usage is summed up by. */
export const usageGroups = ["day", "project", "model", "tool"] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** Tokens and cost of one day, project, model or tool. */
export interface UsageSum {
  readonly key: string;
  readonly runs: number;
  /** Input that was neither read from a cache nor written to one. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly tokens: number;
  readonly cost: RunCost;
  readonly models: readonly string[];
}

interface Draft {
  readonly sessions: Set<string>;
  readonly uses: ReturnType<typeof createModelUseFold>;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** Creates a fold over answers, by a key. */
export function createUsageSums(keyOf: (entry: UsageEntry) => string): {
  readonly add: (entry: UsageEntry) => void;
  readonly get: (prices: PriceList) => readonly UsageSum[];
} {
  const drafts = new Map<string, Draft>();
  return {
    add: (entry) => {
      const key = keyOf(entry);
      let draft = drafts.get(key);
      if (draft === undefined) {
        draft = { sessions: new Set(), uses: createModelUseFold(), input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
        drafts.set(key, draft);
      }
      const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = entry.usage;
      draft.sessions.add(`${entry.tool} ${entry.session}`);
      draft.uses.add(entry);
      draft.input += Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
      draft.output += outputTokens;
      draft.cacheRead += cachedInputTokens;
      draft.cacheWrite += cacheWriteTokens;
    },
    get: (prices) =>
      [...drafts].map(([key, { sessions, uses, input, output, cacheRead, cacheWrite }]) => {
        const cost = runCost(uses.get(), prices);
        return {
          ...{ key, runs: sessions.size, input, output, cacheRead, cacheWrite },
          tokens: input + output + cacheRead + cacheWrite,
          cost,
          models: cost.models.map(({ model }) => model),
        };
      }),
  };
}
