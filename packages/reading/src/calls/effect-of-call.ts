import type { Meaning } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import { measureInput } from "./measure-input.ts";
import type { CallInput } from "./read-call.ts";

/** The effect of a call on the world or on what the agent knows. */
export type Effect = NonNullable<Meaning["effect"]>;

const BY_ACTIVITY: Readonly<Record<string, Effect>> = tableOf({
  read: "look",
  search: "look",
  "vcs-read": "look",
  edit: "change",
  test: "check",
  build: "check",
  lint: "check",
  wait: "wait",
  ask: "ask",
});

/** Activities that change something when they succeed. */
const CHANGING: ReadonlySet<string> = new Set(["install", "vcs-write"]);

/** Words from which an input brings something new along: a script, a query, a text. */
const MANY_WORDS = 20;

/**
 * The effect of a call, from its meaning and its input. A call that carries a script or a long text changes something;
 * nothing is known about all others, so they act.
 */
export function effectOf({ given }: CallInput, { activity = "other", parts, mutates }: Meaning): Effect {
  if (parts?.includes("edit") === true && mutates !== false) return "change";
  const known = BY_ACTIVITY[activity];
  if (known !== undefined) return known;
  const { words, lines } = measureInput(given, MANY_WORDS);
  if (lines || words >= MANY_WORDS) return "change";
  // A push or an installation that failed has changed nothing, and is not a look all the same.
  return mutates === false && !CHANGING.has(activity) ? "look" : "act";
}
