import type { JSX } from "preact";
import type { RunLine } from "../../views/run-line.ts";

/** The outcome of a run in words, on its color. */
export function OutcomePill({ line: { word, tone, state } }: { readonly line: RunLine }): JSX.Element {
  return (
    <strong class={`pill tone-${tone}${state === "running" ? " is-live" : ""}`}>{word.replaceAll("_", " ")}</strong>
  );
}
