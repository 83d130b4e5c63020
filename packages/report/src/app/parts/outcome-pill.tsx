import type { JSX } from "preact";
import type { RunLine } from "../../views/run-line.ts";
import { stateWords } from "../../views/state-words.ts";

/** The outcome of a run in words, on its color. */
export function OutcomePill({ line }: { readonly line: RunLine }): JSX.Element {
  const { words, tone } = stateWords(line);
  return <strong class={`pill tone-${tone}${line.state === "running" ? " is-live" : ""}`}>{words}</strong>;
}
