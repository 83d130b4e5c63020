import { z } from "zod";
import { pathProblem } from "./relative-path.ts";

/** The triggers that ship with the package; contracts may name custom ones that the host provides. */
export const builtInTriggers = ["open_questions_present", "api_boundary_changed", "db_schema_changed", "security_sensitive"] as const;

/** The structural checks that ship with the package. */
export const builtInChecks = ["artifact_exists", "required_sections_present", "min_length_reached", "is_markdown", "next_phase_recommended", "no_open_questions"] as const;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const phaseName = z.string().regex(NAME, "a phase name is lower case: a letter, then letters, digits, _ or -");
/** A section or check: one letter would match by accident, so at least two characters. */
const keyName = z.string().regex(/^[a-z][a-z0-9_]{1,63}$/, "a name is lower case with underscores, such as problem_statement");
const line = z.string().min(1, "it is empty").max(500, "it is longer than 500 characters").regex(/\S/, "it is empty");
const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,5}[smhd]$/, 'a duration is a number and a unit: "90s", "30m", "2h", "1d"')
  .transform((text) => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0));
const relativePath = z.string().refine((path) => templateProblem(path) === undefined, {
  error: ({ input }) => templateProblem(String(input)) ?? "it is not a safe relative path",
});
const list = <T extends z.ZodType>(item: T) => z.array(item).max(100, "it has more than 100 entries");

/** The front matter of a contract file: the one source of its shape, of the TypeScript type and of the JSON Schema. */
export const contractSchema = z.strictObject({
  phase: phaseName.describe("Which phase this contract is for."),
  contract_version: z.int().min(1, "versions begin at 1").max(1_000_000).describe("A claim must name exactly this version."),
  dispatch_profile: line.max(64).optional().describe("Which kind of agent does this phase."),
  model: line.max(128).optional().describe("Another model for this phase."),
  artifact_type: line.max(64).optional().describe("What the artifact is, for people."),
  artifact_path: relativePath.optional().describe("Where the artifact goes; {identifier} stands for the item."),
  required_sections: list(keyName).default([]).describe("Headings the artifact must have, each with text below it."),
  section_aliases: z.record(keyName, list(keyName)).default({}).describe("Other headings that count as a required section."),
  min_length: z.int().min(1).max(1_000_000).optional().describe("Characters the artifact must have at least."),
  done_when: list(line).default([]).describe("When the phase is complete. Entries that name a check are run; others are told to the agent."),
  next_phase: phaseName.nullable().describe("The phase that follows; null for the last one."),
  validation: z
    .strictObject({
      mode: z.enum(["structural", "judge", "trust"]).default("structural").describe("How strict to be."),
      structural_checks: list(keyName).default([]).describe("Checks that are run on the artifact."),
      escalate_if: list(keyName).default([]).describe("What makes a structural contract ask for a judge."),
    })
    .default({ mode: "structural", structural_checks: [], escalate_if: [] }),
  expiry: duration.default(1_800_000).describe("How long an item may wait for a revision before it is dispatched again."),
  judge_timeout: duration.default(600_000).describe("How long one judge may take."),
  max_rejections: z.int().min(1).max(1000).default(5).describe("Rejections in this phase before a person has to look."),
  max_runs: z.int().min(1).max(1000).default(15).describe("Runs of the item before a person has to look."),
  allow_promote_to: list(relativePath).default([]).describe("Folders and files an artifact may be promoted to."),
});

/** A contract as it is used: the checked front matter, the instructions below it, and the hash of the whole file. */
export type Contract = Readonly<z.output<typeof contractSchema>> & {
  /** The instructions for the agent. */
  readonly body: string;
  /** Of the whole file: a claim is bound to the contract it was made under. */
  readonly hash: string;
  readonly file?: string;
};

/** The front matter as a person writes it. */
export type ContractInput = z.input<typeof contractSchema>;

function templateProblem(path: string): string | undefined {
  const filled = path.replaceAll("{identifier}", "x");
  return /[{}$]/.test(filled) ? "the only placeholder is {identifier}" : pathProblem(filled)?.detail;
}

/** JSON Schema of the front matter, for editors. */
export function contractJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(contractSchema, { io: "input" });
}
