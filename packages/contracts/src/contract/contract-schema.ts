import { tableOf } from "@phasekit/core/adapter";
import { z } from "zod";
import { pathProblem } from "./relative-path.ts";

/** Built-in triggers. Contracts may also name custom triggers of the host. */
export const builtInTriggers = [
  "open_questions_present",
  "api_boundary_changed",
  "db_schema_changed",
  "security_sensitive",
] as const;

/** Built-in structural checks. */
export const builtInChecks = [
  "artifact_exists",
  "required_sections_present",
  "min_length_reached",
  "is_markdown",
  "next_phase_recommended",
  "no_open_questions",
] as const;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const UNITS: Readonly<Record<string, number>> = tableOf({ s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 });

const phaseName = z
  .string()
  .regex(NAME, "a phase name is a lower-case letter, then lower-case letters, digits, _ or -");
/** Name of a section or check. At least two characters, because one letter would match by accident. */
const keyName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{1,63}$/, "a name is lower case with underscores, such as problem_statement");
const line = z.string().min(1, "it is empty").max(500, "it is longer than 500 characters").regex(/\S/, "it is empty");
const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,5}[smhd]$/, 'a duration is a number and a unit: "90s", "30m", "2h", "1d"')
  .transform((text) => Number(text.slice(0, -1)) * (UNITS[text.slice(-1)] ?? 0));
const relativePath = z.string().refine((path) => templateProblem(path) === undefined, {
  error: ({ input }) => templateProblem(String(input)) ?? "it is not a safe relative path",
});
const list = <T extends z.ZodType>(item: T) => z.array(item).max(100, "it has more than 100 entries");

/** Front matter of a contract file: the one source of the TypeScript type and the JSON Schema. */
export const contractSchema = z.strictObject({
  phase: phaseName.describe("Phase of this contract."),
  contract_version: z
    .int()
    .min(1, "versions begin at 1")
    .max(1_000_000)
    .describe("A claim must name exactly this version."),
  dispatch_profile: line.max(64).optional().describe("Kind of agent for this phase."),
  model: line.max(128).optional().describe("Model for this phase."),
  artifact_type: line.max(64).optional().describe("Kind of artifact, for people."),
  artifact_path: relativePath.optional().describe("Path of the artifact. {identifier} is replaced by the item's id."),
  required_sections: list(keyName).default([]).describe("Headings the artifact must have, each with text below it."),
  section_aliases: z
    .record(keyName, list(keyName))
    .default({})
    .describe("Other headings that count as a required section."),
  section_match: z
    .enum(["exact", "substring"])
    .default("exact")
    .describe("Whether a heading must be the name of a section, or may contain it or be part of it."),
  min_length: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      "Minimum number of visible characters of the artifact. Without it, the check `min_length_reached` asks for 40.",
    ),
  done_when: list(line)
    .default([])
    .describe("Conditions of completion. Entries that name a check are run; the agent reads the others."),
  next_phase: phaseName.nullable().describe("Next phase; null for the last one."),
  validation: z
    .strictObject({
      mode: z.enum(["structural", "judge", "trust"]).default("structural").describe("How a claim is validated."),
      structural_checks: list(keyName).default([]).describe("Checks to run on the artifact."),
      escalate_if: list(keyName).default([]).describe("Triggers that ask for a judge."),
    })
    .default({ mode: "structural", structural_checks: [], escalate_if: [] }),
  expiry: duration.default(1_800_000).describe("Time an item may wait for a revision before it is dispatched again."),
  judge_timeout: duration.default(600_000).describe("Time limit of one judge."),
  max_rejections: z
    .int()
    .min(1)
    .max(1000)
    .default(5)
    .describe("Rejections in this phase before a person must review the item."),
  max_runs: z.int().min(1).max(1000).default(15).describe("Runs of the item before a person must review it."),
  allow_promote_to: list(relativePath).default([]).describe("Folders and files an artifact may be promoted to."),
});

/** A parsed contract: its front matter, the instructions below it, and the hash of the file. */
export type Contract = Readonly<z.output<typeof contractSchema>> & {
  /** Instructions for the agent. */
  readonly body: string;
  /** Hash of the whole file. A claim is bound to the contract at claim time. */
  readonly hash: string;
  readonly file?: string;
};

/** Front matter as written in the file. */
export type ContractInput = z.input<typeof contractSchema>;

function templateProblem(path: string): string | undefined {
  const filled = path.replaceAll("{identifier}", "x");
  return /[{}$]/.test(filled) ? "the only placeholder is {identifier}" : pathProblem(filled)?.detail;
}
