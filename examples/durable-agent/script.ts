/** An answer of the model: a tool call, or the words it ends with. */
export type Answer = { readonly tool: string; readonly input: object } | { readonly done: string };

/** The result of a tool. */
export interface Result {
  readonly output: string;
  readonly exitCode: number;
}

const TEST = { tool: "Bash", input: { command: "npm test" } };
const TYPO = { tool: "Bash", input: { command: "npm run biuld" } };

/**
 * The answers of a scripted model, turn by turn: it reads, runs into the same failure again and again, fixes the bug,
 * says "done" without a test, gets a veto, and proves its work.
 */
const answers: readonly Answer[] = [
  { tool: "Read", input: { file_path: "total.js" } },
  TEST,
  TYPO,
  TYPO,
  TYPO,
  TYPO,
  { tool: "Edit", input: { file_path: "total.js", old_string: "sum - price", new_string: "sum + price" } },
  { done: "Done." },
  TEST,
  { done: "Done. The tests pass." },
];

/** Turns until the agent is done. */
export const turnsOfScript = answers.length;

/** The answer of the model in a turn. It depends on nothing else, so a model that is asked twice says the same. */
export function scriptedModel(turn: number): Answer {
  return answers[turn] ?? { done: "Done." };
}

/** The result of the call in a turn. */
export function scriptedTool(turn: number): Result {
  const answer = scriptedModel(turn);
  if (answer === TYPO || !("tool" in answer)) return { output: 'npm error Missing script: "biuld"', exitCode: 1 };
  if (answer === TEST && turn < 6) return { output: "# tests 1\n# pass 0\n# fail 1", exitCode: 1 };
  if (answer === TEST) return { output: "# tests 1\n# pass 1\n# fail 0", exitCode: 0 };
  return { output: answer.tool === "Read" ? "prices.reduce((sum, price) => sum - price, 0)" : "edited", exitCode: 0 };
}

/** The answer of a person who is asked for more turns. */
export const verdictOfPerson = {
  verdict: "approve",
  feedback: "Stop running the build, because it has no script. Run the tests instead.",
  reviewer: "Ada",
} as const;

/** A turn in the middle of each phase. */
export const turnsOfPhases = { exploring: 3, acting: 7, verifying: 9 } as const;
