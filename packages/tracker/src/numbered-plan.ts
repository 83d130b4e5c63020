const STEPS = 3;

/** True if a text holds a plan: at least three numbered steps in a row, one, two, three. */
export function isNumberedPlan(text: string): boolean {
  let expected = 1;
  for (const [, number] of text.matchAll(/^\s{0,4}(?:\*\*|#{1,4} )?(?:[Ss]tep )?(\d{1,2})[.):](?:\*\*)?\s+\S/gm)) {
    if (Number(number) === expected) expected += 1;
    else if (Number(number) === 1) expected = 2;
    if (expected > STEPS) return true;
  }
  return false;
}
