import type { Delivery } from "@phasekit/core/account";
import { type BlindSpan, blindText, quote } from "@phasekit/core/adapter";
import { shortPaths } from "../words/short-paths.ts";
import type { RunStory } from "./run-story.ts";

/** Lists what matters and is easily missed, one sentence each, the most important first. Contains foreign text. */
export function easilyMissed({
  delivery: { skippedHooks, loosened },
  weakened,
  gates,
  blind,
}: {
  readonly delivery: Pick<Delivery, "skippedHooks" | "loosened">;
  /** Tests that were removed, skipped or loosened. */
  readonly weakened: readonly string[];
  readonly gates: RunStory["gates"];
  /** Times in which Phasekit could not answer. */
  readonly blind: readonly BlindSpan[];
}): readonly string[] {
  const untrue = gates.filter(({ gate, verdict }) => verdict === "fail" && CLAIMS.has(gate));
  return [
    ...untrue.flatMap(({ text }) => (text === undefined ? [] : [text])),
    ...(skippedHooks ? ["Hooks were skipped with `--no-verify`."] : []),
    ...(weakened.length === 0 ? [] : [`Tests were weakened: ${named(weakened)}`]),
    ...(loosened.length === 0 ? [] : [`Checks were loosened: ${named(loosened)}`]),
    ...blind.slice(-MAX_BLIND).map(blindText),
  ];
}

const MAX_NAMED = 3;
const MAX_BLIND = 2;

/** Some of the texts as the end of a sentence, and how many more there are. */
function named(texts: readonly string[]): string {
  const more = texts.length - MAX_NAMED;
  const shown = texts.slice(0, MAX_NAMED).map((text) => quote(shortPaths(text), { max: 80 }).slice(1, -1));
  return `${shown.join("; ")}${more > 0 ? `; and ${String(more)} more` : ""}.`;
}

/** The gates over what the agent says, by their names of today and before. */
const CLAIMS: ReadonlySet<string> = new Set(["claims-true", "claims-match"]);
