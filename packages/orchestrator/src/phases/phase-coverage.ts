/** Declared phases that were visited, and those that were not. */
export interface PhaseCoverage {
  readonly visited: readonly string[];
  readonly missing: readonly string[];
}

/** Compares declared phases with executed ones, ignoring case. */
export function checkCoverage({
  declared,
  executed,
}: {
  readonly declared: readonly string[];
  readonly executed: readonly string[];
}): PhaseCoverage {
  const known = new Set(executed.map(fold));
  return {
    visited: declared.filter((phase) => known.has(fold(phase))),
    missing: declared.filter((phase) => !known.has(fold(phase))),
  };
}

/** Decision to continue with missing phases, or not. */
export type CoverageReview = { readonly continue: true; readonly instruction: string } | { readonly continue: false };

/**
 * Asks a reviewer, usually a model without tools, whether phases were left out on purpose. An answer that contains
 * "continue" is the next instruction. Any other answer, or a reviewer that fails, means that it was on purpose.
 */
export async function reviewCoverage(
  { missing }: Pick<PhaseCoverage, "missing">,
  ask: (question: string) => string | Promise<string>,
): Promise<CoverageReview> {
  if (missing.length === 0) return { continue: false };
  try {
    const answer = await ask(renderCoverageQuestion(missing));
    return wantsMore(answer) ? { continue: true, instruction: answer } : { continue: false };
  } catch {
    return { continue: false };
  }
}

/** Renders the question to the reviewer. */
export function renderCoverageQuestion(missing: readonly string[]): string {
  return [
    `These phases were declared and never executed: ${missing.join(", ")}.`,
    'If that was a mistake, answer "CONTINUE: " and what to do next. If it was on purpose, answer "DONE: " and why.',
  ].join(" ");
}

/** True if the answer says "continue" and does not negate it. */
function wantsMore(answer: string): boolean {
  const negated = /\b(?:not|never|no\s+need\s+to|don[’']t|needn[’']t|without)\s+(?:\w+\s+)?continu/i;
  return /\bcontinue\b/i.test(answer) && !negated.test(answer);
}

const fold = (phase: string): string => phase.trim().toLowerCase();
