import type { Observers } from "./policy.ts";
import type { LimitName, Limits } from "../view/run-view.ts";

/** The kind of the review that asks for more budget. Its `data` has the limit and the amount. */
export const EXTENSION = "budget-extension";

/** Options of `budget({ extend })`. All optional. */
export interface ExtendOptions {
  /** When to ask: at the soft share, before the nudge, or at the limit, before the stop. @default "limit" */
  readonly at?: "soft" | "limit";
  /** How much more to ask for, by limit. @default half of the limit */
  readonly amount?: Omit<Limits, "cachedWeight" | "baseline" | "repeatedWeight">;
  /** How often each limit may be extended. @default 2 */
  readonly times?: number;
}

/** Requests for more budget, and their answers. */
export interface ExtensionState {
  /** Questions so far, of all limits. */
  asked: number;
  /** Limits with a question that waits for its answer. */
  readonly pending: Set<LimitName>;
  /** The limit a review is about. */
  readonly reviews: Map<string, LimitName>;
  readonly grants: Map<LimitName, number>;
  readonly denied: Set<LimitName>;
  /** Requests of the agent or the host that were not asked yet. */
  readonly wanted: Map<LimitName, { readonly amount: number | undefined; readonly why: string | undefined }>;
}

/** State before the first request. */
export const noExtensions = (): ExtensionState => ({
  asked: 0,
  pending: new Set(),
  reviews: new Map(),
  grants: new Map(),
  denied: new Set(),
  wanted: new Map(),
});

/** Folds requests, grants and denials. */
export const observeExtensions: Observers<ExtensionState> = {
  "budget.requested": ({ wanted, denied }, { limit, amount, why }) => {
    denied.delete(limit);
    wanted.set(limit, { amount, why });
  },
  "budget.granted": (state, { limit }) => {
    state.grants.set(limit, (state.grants.get(limit) ?? 0) + 1);
    settle(state, limit);
  },
  "budget.denied": (state, { limit }) => {
    state.denied.add(limit);
    settle(state, limit);
  },
  "review.requested": (state, { review, kind, data }) => {
    const { limit } = (data ?? {}) as { readonly limit?: LimitName };
    if (kind !== EXTENSION || limit === undefined) return;
    state.asked += 1;
    state.pending.add(limit);
    state.wanted.delete(limit);
    state.reviews.set(review, limit);
  },
  "review.finished": (state, { review, verdict }) => {
    const limit = state.reviews.get(review);
    state.reviews.delete(review);
    if (limit !== undefined && verdict !== "approve") {
      state.denied.add(limit);
      settle(state, limit);
    }
  },
};

function settle({ pending, wanted }: ExtensionState, limit: LimitName): void {
  pending.delete(limit);
  wanted.delete(limit);
}

/** True if a limit can be asked for: not denied, not asked and unanswered, and not extended too often. */
export function mayAsk(
  { pending, denied, grants }: Readonly<ExtensionState>,
  limit: LimitName,
  { times = 2 }: ExtendOptions,
): boolean {
  return !pending.has(limit) && !denied.has(limit) && (grants.get(limit) ?? 0) < times;
}

/** The amount to ask for: what was requested, what the options say, or half of the limit. */
export function wantedAmount(
  { wanted }: Readonly<ExtensionState>,
  limit: LimitName,
  { all, extend = {} }: { readonly all: number; readonly extend: ExtendOptions | undefined },
): number {
  return wanted.get(limit)?.amount ?? extend.amount?.[limit] ?? Math.ceil(all / 2);
}
