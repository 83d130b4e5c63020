import { toObject } from "../text/loose-object.ts";
import { EXTENSION } from "../policies/budget-extension.ts";
import type { LimitName } from "../view/run-view.ts";
import type { Reviewer } from "./answer-review.ts";

/**
 * A reviewer that grants requests for more budget until they add up to these amounts, and denies the rest. Other
 * reviews go to `others`; without it, they are approved.
 *
 * @example
 * withPhases(run, client, { reviewer: grantUpTo({ tokens: 200_000 }) })
 */
export function grantUpTo(amounts: Readonly<Partial<Record<LimitName, number>>>, others?: Reviewer): Reviewer {
  const left = new Map(Object.entries(amounts));
  return (review, run) => {
    if (review.kind !== EXTENSION) return others?.(review, run) ?? { verdict: "approve" };
    const { limit, amount } = toObject(review.data);
    const rest = left.get(String(limit)) ?? 0;
    const granted = typeof amount === "number" ? Math.min(amount, rest) : 0;
    if (granted <= 0)
      return { verdict: "reject", feedback: "The budget has no room for more.", reviewer: "grant-up-to" };
    left.set(String(limit), rest - granted);
    return { verdict: "approve", grant: granted, reviewer: "grant-up-to" };
  };
}
