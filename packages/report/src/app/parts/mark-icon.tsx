import type { JSX } from "preact";
import type { MarkKind } from "../../views/timeline.ts";

/** Drawn, not typed: a font may lack the letters. Each shape differs from the others without its color. */
const SHAPES: Readonly<Record<MarkKind, string>> = {
  prompt: "M3.5 12.5V2H11.5L9.5 4.75 11.5 7.5H3.5",
  "sub-agent": "M3.5 2V9.5H8.5M8.5 7V12H12.5V7Z",
  "tests-pass": "M2 7.5 5.5 11 12 3.5",
  "tests-fail": "M3 3 11 11M11 3 3 11",
  "failed-call": "M7 2V12",
  alert: "M7 2 12.5 12H1.5Z",
  nudge: "M7 2.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9Z",
  refusal: "M2.5 2.5H11.5V11.5H2.5Z",
  veto: "M7 1.5 12.5 7 7 12.5 1.5 7Z",
  review: "M4.5 5a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4M7 11.5V12",
  stop: "M4.5 1.5H9.5L12.5 4.5V9.5L9.5 12.5H4.5L1.5 9.5V4.5Z",
};
const FILLED: ReadonlySet<MarkKind> = new Set(["alert", "nudge", "refusal", "veto", "stop"]);

/** The sign of a mark; hollow if Phasekit only would have acted. */
export function MarkIcon({ kind, idle = false }: { readonly kind: MarkKind; readonly idle?: boolean }): JSX.Element {
  const look = FILLED.has(kind) ? (idle ? "hollow" : "filled") : "drawn";
  return (
    <svg class={`icon mark-${kind}`} viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      <path d={SHAPES[kind]} class={look} />
    </svg>
  );
}
