import type { Artifact } from "./artifact.ts";
import type { Claim } from "./claim-schema.ts";
import type { Contract } from "./contract-schema.ts";
import { findEmptySections, findMissingSections, readMarkdown, readSections, renderMissingSections, type Section } from "./sections.ts";

/** What a structural check may look at. */
export interface CheckInput {
  readonly artifact: Artifact;
  readonly contract: Contract;
  readonly claim: Pick<Claim, "completed_phase" | "recommended_next_phase" | "open_questions" | "skip_to">;
  /** The artifact's sections, read when asked for. */
  readonly sections: () => readonly Section[];
}

/** A check of the artifact's form: what is wrong, as texts for the agent; none when all is well. Pure. */
export type StructuralCheck = (input: CheckInput) => readonly string[];

/** Checks by the names contracts use. */
export type StructuralChecks = Readonly<Record<string, StructuralCheck>>;

/** A check that found something. */
export interface CheckFinding {
  readonly check: string;
  readonly problems: readonly string[];
}

/** The artifact must have this many characters when the contract names no number. */
const DEFAULT_MIN_LENGTH = 40;

const onText = (look: (text: string, input: CheckInput) => readonly string[]): StructuralCheck => (input) =>
  input.artifact.status === "found" ? look(input.artifact.text, input) : [];

const structuralChecks: StructuralChecks = {
  artifact_exists: ({ artifact }) => {
    switch (artifact.status) {
      case "found":
        return [];
      case "missing":
        return [`There is no file "${artifact.path}". Write the artifact there.`];
      case "refused":
        return [`The file "${artifact.path}" cannot be used (${artifact.reason}): ${artifact.detail}`];
      case "none":
        return ["The contract names no artifact_path, so there is nothing to check."];
    }
  },
  required_sections_present: onText((text, { contract: { required_sections, section_aliases: aliases } }) =>
    renderMissingSections([...findMissingSections(text, required_sections, { aliases }), ...findEmptySections(text, required_sections, { aliases })]),
  ),
  min_length_reached: onText((text, { contract: { min_length = DEFAULT_MIN_LENGTH } }) => {
    const length = text.trim().length;
    return length >= min_length ? [] : [`The artifact has ${length} characters; it needs at least ${min_length}.`];
  }),
  is_markdown: onText((text) => {
    const first = readMarkdown(text).children.find(({ type }) => type === "heading");
    return first === undefined ? ["The artifact has no Markdown heading. Write it as Markdown with ## headings."] : [];
  }),
  next_phase_recommended: ({ claim, contract }) =>
    claim.recommended_next_phase === contract.next_phase || (claim.skip_to !== null && claim.recommended_next_phase === claim.skip_to)
      ? []
      : ["The claim recommends no next phase, or another one than the contract."],
  no_open_questions: ({ claim }) => (claim.open_questions.length === 0 ? [] : [`${claim.open_questions.length} questions are open. Settle them first.`]),
};

/** The checks a contract asks for: by its mode, by what it requires, and by the names in its lists. */
export function checksOf({ validation, done_when, artifact_path, required_sections, min_length }: Contract, custom: StructuralChecks = {}): readonly string[] {
  const implied = [
    ...(artifact_path === undefined ? [] : ["artifact_exists"]),
    ...(required_sections.length === 0 ? [] : ["required_sections_present"]),
    ...(min_length === undefined ? [] : ["min_length_reached"]),
  ];
  const listed = [...validation.structural_checks, ...done_when].filter((name) => checkFor(name, custom) !== undefined);
  // A contract that trusts runs what it lists and nothing else.
  return [...new Set(validation.mode === "trust" ? listed : [...implied, ...listed])];
}

/** Runs checks by name, in order. When there is no artifact to look at, the others say nothing about it. */
export function runChecks(names: readonly string[], { artifact, contract, claim }: Omit<CheckInput, "sections">, custom: StructuralChecks = {}): readonly CheckFinding[] {
  let read: readonly Section[] | undefined;
  const sections = (): readonly Section[] => (read ??= artifact.status === "found" ? readSections(artifact.text) : []);
  return names.flatMap((check): CheckFinding[] => {
    const problems = checkFor(check, custom)?.({ artifact, contract, claim, sections }) ?? [`Nobody provides the check "${check}".`];
    return problems.length === 0 ? [] : [{ check, problems }];
  });
}

function checkFor(name: string, custom: StructuralChecks): StructuralCheck | undefined {
  if (Object.hasOwn(custom, name)) return custom[name];
  return Object.hasOwn(structuralChecks, name) ? structuralChecks[name] : undefined;
}
