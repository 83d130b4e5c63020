import type { EventOf } from "@phasekit/core";

/** The answers of one model in a run, by the length of their prompts. Sums count only what the log reports. */
export interface ModelUse {
  /** The model's id, as logged; empty if the log does not name it. Foreign text. */
  readonly model: string;
  /** All prompts were longer than this many tokens: long ones often have another price. */
  readonly above: number;
  readonly calls: number;
  /** The cost that the log itself reports, in USD; absent if it reports none. */
  readonly loggedCost?: number;
  /** The tokens of the answers without a logged cost. */
  readonly unpriced: {
    readonly calls: number;
    /** Calls whose tokens the log does not tell, or only a part of them: some tools log no input tokens. */
    readonly unknownCalls: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedInputTokens: number;
    readonly cacheWriteTokens: number;
    readonly longCacheWriteTokens: number;
  };
}

/** The lengths of prompts at which providers change prices. */
const STEPS = [272_000, 200_000, 128_000];
/** More models than this in one run count as one without a name. */
const MAX_MODELS = 20;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Omit<ModelUse, "unpriced">> & { readonly unpriced: Mutable<ModelUse["unpriced"]> };

/** Creates a fold over answers. Answers of sub-agents are in their own runs. */
export function createModelUseFold(): {
  readonly add: (answer: Pick<EventOf<"model.answered">, "model" | "usage">) => void;
  readonly get: () => readonly ModelUse[];
} {
  const drafts = new Map<string, Draft>();
  const draftOf = (model: string, above: number): Draft => {
    const key = `${String(above)} ${model}`;
    const found = drafts.get(key);
    if (found !== undefined) return found;
    if (drafts.size >= MAX_MODELS && model !== "") return draftOf("", above);
    const draft: Draft = {
      model,
      above,
      calls: 0,
      unpriced: {
        calls: 0,
        unknownCalls: 0,
        inputTokens: 0,
        outputTokens: 0,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        longCacheWriteTokens: 0,
      },
    };
    drafts.set(key, draft);
    return draft;
  };
  return {
    add: ({ model = "", usage }) => {
      const {
        inputTokens,
        outputTokens,
        cachedInputTokens = 0,
        cacheWriteTokens = 0,
        longCacheWriteTokens = 0,
        cost = 0,
      } = usage ?? {};
      const draft = draftOf(model, STEPS.find((step) => (inputTokens ?? 0) > step) ?? 0);
      draft.calls += 1;
      // Tools log 0 for subscriptions and for models whose price they do not know.
      if (cost > 0) {
        draft.loggedCost = (draft.loggedCost ?? 0) + cost;
        return;
      }
      const { unpriced } = draft;
      unpriced.calls += 1;
      if (inputTokens === undefined || outputTokens === undefined) unpriced.unknownCalls += 1;
      unpriced.inputTokens += inputTokens ?? 0;
      unpriced.outputTokens += outputTokens ?? 0;
      unpriced.cachedInputTokens += cachedInputTokens;
      unpriced.cacheWriteTokens += cacheWriteTokens;
      unpriced.longCacheWriteTokens += longCacheWriteTokens;
    },
    get: () => [...drafts.values()].map(({ unpriced, ...draft }) => ({ ...draft, unpriced: { ...unpriced } })),
  };
}
