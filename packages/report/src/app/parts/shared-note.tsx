import type { JSX } from "preact";
import { plural } from "../../views/number-text.ts";
import type { RemovedTexts } from "../sources/source.ts";

/** Says in the head of a shared page what was removed, and what is left. */
export function SharedNote({ removed }: { readonly removed: RemovedTexts }): JSX.Element {
  const { prompts, answers, inputs, outputs } = removed;
  const counts = [
    plural(prompts, "prompt"),
    plural(answers, "answer"),
    plural(inputs, "tool input"),
    plural(outputs, "tool output"),
  ];
  return (
    <aside class="shared" aria-label="Shared page">
      <b>Made to be shared.</b> Removed: {counts.join(", ")}, secrets, and names of runs and projects. Words in names of
      files are replaced by random ones. Left: phases, times, names of tools and models, tokens, cost, results of checks
      and what Phasekit did.
    </aside>
  );
}
