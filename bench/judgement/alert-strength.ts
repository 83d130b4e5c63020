/**
 * Alert kinds that are weak evidence, or about time. The list is fixed here, so a new or renamed kind counts as strong
 * until someone adds it.
 */
const NOT_STRONG = new Set(["repeat", "call-timeout", "silence"]);

/** True for an alert that is strong evidence by itself. */
export const isStrong = ({ kind }: { readonly kind: string }): boolean => !NOT_STRONG.has(kind);

/** True for a nudge about a loop. */
export const isLoopNudge = ({ by }: { readonly by: string }): boolean => by === "escalation";
