import type { JSX } from "preact";
import { phaseColor } from "./phase-color.ts";

/** The name of a phase beside its color. */
export function PhaseName({ phase, text = phase }: { readonly phase: string; readonly text?: string }): JSX.Element {
  return (
    <span class="phase-name">
      <i style={{ background: phaseColor(phase) }} />
      {text}
    </span>
  );
}
