const SHARE = /(\d+(?:\.\d+)?) ?%|(\d+) ?(?:\/|(?:out )?of) ?\d+/;

const LONG = 1200;

/** How far an answer says that something is, as in "40 %", "step 12 of 40" or "(3/7)": the first such number. */
export function shareOf(text: string): number | undefined {
  const found = SHARE.exec(text.length > LONG ? text.slice(0, LONG) : text);
  return found === null ? undefined : Number(found[1] ?? found[2]);
}

/** Whether a command goes on to the next piece of something: then another word in its failure is another piece. */
export function goesOn(label: string): boolean {
  return /--(?:continue|skip)\b/.test(label);
}
