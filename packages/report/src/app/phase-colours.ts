/** Gives every phase a colour by the order in which phases are first met; the name always stands beside it. */
export function phaseColours(phases: readonly string[]): (phase: string) => string {
  const order = [...new Set(phases)];
  return (phase) => `var(--phase-${String(Math.max(0, order.indexOf(phase)) % 8)})`;
}
