import type { JSX } from "preact";
import type { DiffLine } from "../../views/work/edit-diff.ts";

const CLASSES = { "+": "added", "-": "removed", " ": undefined } as const;

/** A diff as text, with a sign in front of each line: color is not the only mark. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return (
    <pre class="diff" tabIndex={0}>
      {lines.map(({ sign, text }, index) => (
        <span key={index} class={CLASSES[sign]}>{`${sign} ${text}\n`}</span>
      ))}
    </pre>
  );
}
