import { wholeHead } from "../text/clip.ts";
import type { Nudge } from "../policies/decision.ts";
import type { DropWhy } from "../events/derived-events.ts";
import { ownValue } from "../text/own-value.ts";
import { identity, type ViewState } from "../view/view-state.ts";

/** How much a run may say to its agent. */
export interface NudgeLimits {
  /** Times one nudge may be said in one episode. @default 2 */
  readonly perEpisode?: number;
  /** Turns a policy keeps quiet after it spoke. @default 3 */
  readonly cooldownTurns?: number;
  /** Nudges in one phase entry, guidance not counted. @default 5 */
  readonly perEntry?: number;
  /** Tokens in one turn, at four characters each. @default 1500 */
  readonly tokensPerTurn?: number;
  /** Priorities by policy name; they beat what the policy itself says. */
  readonly priorities?: Readonly<Record<string, number>>;
}

/** A nudge a policy proposes. */
export interface Proposal {
  readonly policy: string;
  readonly nudge: Nudge;
}

/** A proposal that goes out, perhaps shortened. */
interface AcceptedNudge {
  readonly policy: string;
  readonly nudge: Nudge;
  readonly episode: string;
  readonly text: string;
  readonly shortened: boolean;
}

/** The result of the proposals of one turn. */
export interface Arbitration {
  readonly accepted: readonly AcceptedNudge[];
  readonly dropped: readonly { readonly policy: string; readonly episode: string; readonly why: DropWhy }[];
}

const CHARACTERS_PER_TOKEN = 4;
const LEAST_TOKENS = 100;
const CUT = "\n… [shortened]";

/**
 * Chooses what is said this turn: highest priority first, one per topic, silence inside an episode, cooldown, cap and
 * allowance. Pure; a drop is reported once per policy, episode and cause.
 */
export function arbitrateNudges(view: ViewState, proposals: readonly Proposal[], limits: NudgeLimits): Arbitration {
  const { perEpisode = 2, cooldownTurns = 3, perEntry = 5, tokensPerTurn = 1500, priorities = {} } = limits;
  const accepted: AcceptedNudge[] = [];
  const dropped: { policy: string; episode: string; why: DropWhy }[] = [];
  const topics = new Set<string>();
  let sent = view.sentInEntry;
  let left = view.turnNudges.reduce((rest, { text }) => rest - text.length, tokensPerTurn * CHARACTERS_PER_TOKEN);

  const priorityOf = ({ policy, nudge }: Proposal): number => ownValue(priorities, policy) ?? nudge.priority;
  const ordered = proposals.map((proposal, index) => ({ proposal, index }));
  ordered.sort((a, b) => priorityOf(b.proposal) - priorityOf(a.proposal) || a.index - b.index);

  for (const { proposal } of ordered) {
    const { policy, nudge } = proposal;
    const episode = nudge.episode ?? view.phaseEntry;
    const said = view.episodes.get(identity(policy, episode)) ?? 0;
    if (said >= Math.min(nudge.times, perEpisode)) {
      // It was said. It still holds its topic: the weaker nudge on the same cause stays silent too.
      if (nudge.topic !== undefined) topics.add(nudge.topic);
      continue;
    }
    const why = reasonToDrop();
    if (why !== undefined) {
      if (!view.drops.has(identity(policy, episode, why))) dropped.push({ policy, episode, why });
      continue;
    }
    const text = nudge.text.length <= left ? nudge.text : `${wholeHead(nudge.text.slice(0, left - CUT.length))}${CUT}`;
    left -= text.length;
    if (nudge.topic !== undefined) topics.add(nudge.topic);
    if (!nudge.guidance) sent += 1;
    accepted.push({ policy, nudge, episode, text, shortened: text !== nudge.text });

    function reasonToDrop(): DropWhy | undefined {
      if (nudge.topic !== undefined && topics.has(nudge.topic)) return "topic";
      if (!nudge.guidance) {
        const spoke = view.spokeAt.get(policy);
        if (spoke !== undefined && view.turn - spoke < cooldownTurns) return "cooldown";
        if (sent >= perEntry) return "cap";
      }
      if (nudge.text.length > left && left < LEAST_TOKENS * CHARACTERS_PER_TOKEN) return "allowance";
      return undefined;
    }
  }
  return { accepted, dropped };
}
