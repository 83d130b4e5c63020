import { arbitrateNudges, type NudgeLimits, type Proposal } from "./arbitrate-nudges.ts";
import type { DerivedEvents } from "../events/derived-events.ts";
import type { SentNudge } from "../view/run-view.ts";
import type { DeriveContext } from "./derive-context.ts";
import { identity } from "../view/view-state.ts";

/** Sends the nudges that arbitration accepts, and settles those whose policy was asked and no longer proposes them. */
export function sendNudges(
  { view, derive, acts }: DeriveContext,
  {
    proposals,
    asked,
    limits,
  }: { readonly proposals: readonly Proposal[]; readonly asked: ReadonlySet<string>; readonly limits: NudgeLimits },
): void {
  const held = new Set(proposals.map(({ policy, nudge }) => identity(policy, nudge.episode ?? view.phaseEntry)));
  for (const open of [...view.openNudges.values()]) {
    const { policy, episode } = open;
    if (asked.has(policy) && !held.has(identity(policy, episode)))
      derive("nudge.settled", policy, settled(open, { helped: !isBeyondNudges(view, policy) }));
  }
  if (proposals.length === 0) return;
  const { accepted, dropped } = arbitrateNudges(view, proposals, limits);
  for (const { policy, nudge, episode, text, shortened } of accepted) {
    const ignored = [...view.openNudges.values()].find((open) => open.policy === policy && open.episode === episode);
    if (ignored !== undefined) derive("nudge.settled", policy, settled(ignored, { helped: false }));
    derive("nudge.sent", policy, {
      nudge: `nudge-${String(view.nextNudge)}`,
      text,
      episode,
      topic: nudge.topic,
      guidance: nudge.guidance || undefined,
      shortened: shortened || undefined,
      applied: acts(policy, "nudge"),
    });
  }
  for (const { policy, episode, why } of dropped) derive("nudge.dropped", policy, { episode, why });
}

/** True if a policy says no more because it stops the run, or asks for a review: what it said before did not help. */
function isBeyondNudges({ stopped, reviews }: DeriveContext["view"], policy: string): boolean {
  return stopped?.by === policy || [...reviews.values()].some(({ by }) => by === policy);
}

/** A nudge the agent never got has no effect: the event says so, and every count leaves it out. */
function settled(
  { nudge, applied }: SentNudge,
  { helped }: { readonly helped: boolean },
): DerivedEvents["nudge.settled"] {
  return { nudge, helped, ...(!applied && { applied }) };
}
