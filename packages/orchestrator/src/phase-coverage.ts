/** Which of the declared phases were gone through, and which never. */
export interface PhaseCoverage {
  readonly visited: readonly string[];
  readonly missing: readonly string[];
}

/** What somebody did, in order; the trigger is where the present work begins. */
export type CoverageEvent = { readonly by: string; readonly phase: string } | { readonly trigger: true };

/** Compares declared phases with those that were executed. Names compare without case. */
export function checkCoverage({ declared, executed }: { readonly declared: readonly string[]; readonly executed: readonly string[] }): PhaseCoverage {
  const known = new Set(executed.map(fold));
  return { visited: declared.filter((phase) => known.has(fold(phase))), missing: declared.filter((phase) => !known.has(fold(phase))) };
}

/** The phases one agent went through before the trigger; what others did, and what came after it, does not count. */
export function executedBefore(history: readonly CoverageEvent[], { agent }: { readonly agent: string }): readonly string[] {
  const trigger = history.findIndex((event) => "trigger" in event);
  const before = trigger === -1 ? history : history.slice(0, trigger);
  return [...new Set(before.flatMap((event) => ("phase" in event && event.by === agent ? [event.phase] : [])))];
}

/** Whether missing phases are to be made up for. */
export type CoverageReview = { readonly continue: true; readonly instruction: string } | { readonly continue: false };

/**
 * Asks a reviewer, usually a model without tools, whether phases were left out on purpose. An answer with the word
 * "continue" is the next instruction; any other answer, and a reviewer that fails, mean that it was meant so.
 */
export async function reviewCoverage({ missing }: Pick<PhaseCoverage, "missing">, ask: (question: string) => string | Promise<string>): Promise<CoverageReview> {
  if (missing.length === 0) return { continue: false };
  try {
    const answer = await ask(renderCoverageQuestion(missing));
    return wantsMore(answer) ? { continue: true, instruction: answer } : { continue: false };
  } catch {
    return { continue: false };
  }
}

/** The question a reviewer is asked. */
export function renderCoverageQuestion(missing: readonly string[]): string {
  return `These phases were declared and never gone through: ${missing.join(", ")}. If that was not meant, answer "CONTINUE: " and what to do next. If it was, answer "DONE: " and why.`;
}

/** "Do not continue" has the word too, and means the opposite. */
function wantsMore(answer: string): boolean {
  const negated = /\b(?:not|never|no\s+need\s+to|don[’']t|needn[’']t|without)\s+(?:\w+\s+)?continu/i;
  return /\bcontinue\b/i.test(answer) && !negated.test(answer);
}

const fold = (phase: string): string => phase.trim().toLowerCase();
