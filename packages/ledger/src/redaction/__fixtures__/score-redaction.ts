import type { Redactor } from "@phasekit/core";
import { carriers, isLeaked, secretCases, type SecretKind } from "./secret-kinds.ts";

export interface RedactionScore {
  readonly cases: number;
  readonly leaked: readonly { readonly kind: string; readonly carrier: string; readonly left: string }[];
  /** Kinds that no carrier leaks. */
  readonly wholeKinds: number;
  readonly innocents: number;
  readonly falseAlarms: readonly string[];
}

/** How many secrets a redactor takes out, and how many innocent texts it changes. */
export function scoreRedaction(
  redact: Redactor,
  {
    kinds,
    innocents,
    seed,
  }: { readonly kinds: readonly SecretKind[]; readonly innocents: readonly string[]; readonly seed: number },
): RedactionScore {
  const cases = secretCases(kinds, seed);
  const leaked = cases.flatMap(({ kind, carrier, event, secret }) => {
    const redacted = redact(event);
    return isLeaked(redacted, secret) ? [{ kind, carrier, left: JSON.stringify(redacted) }] : [];
  });
  const leaky = new Set(leaked.map(({ kind }) => kind));
  return {
    cases: kinds.length * carriers.length,
    leaked,
    wholeKinds: kinds.filter(({ kind }) => !leaky.has(kind)).length,
    innocents: innocents.length,
    falseAlarms: innocents.filter((text) => {
      const { output } = redact({ output: text });
      return output !== text;
    }),
  };
}
