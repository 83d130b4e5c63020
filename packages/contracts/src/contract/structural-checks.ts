import { ownValue } from "@phasekit/core/adapter";
import type { Artifact } from "./artifact.ts";
import type { Claim } from "../claims/claim-schema.ts";
import type { Contract } from "./contract-schema.ts";
import { readMarkdown } from "../markdown/read-markdown.ts";
import { visibleLength } from "../markdown/visible-characters.ts";
import {
  findEmptySections,
  findMissingSections,
  readSections,
  renderMissingSections,
  type Section,
} from "./sections.ts";

/** Input of a structural check. */
export interface CheckInput {
  readonly artifact: Artifact;
  readonly contract: Contract;
  readonly claim: Pick<Claim, "completed_phase" | "recommended_next_phase" | "open_questions" | "skip_to">;
  /** Sections of the artifact, parsed on demand. */
  readonly sections: () => readonly Section[];
}

/** A check of the artifact's form. Returns the problems as texts for the agent. Pure. */
export type StructuralCheck = (input: CheckInput) => readonly string[];

/** Checks by the names contracts use. */
export type StructuralChecks = Readonly<Record<string, StructuralCheck>>;

/** A failed check. */
export interface CheckFinding {
  readonly check: string;
  readonly problems: readonly string[];
}

/** Minimum length if the contract does not set one. */
const DEFAULT_MIN_LENGTH = 40;

const onText =
  (look: (text: string, input: CheckInput) => readonly string[]): StructuralCheck =>
  (input) =>
    input.artifact.status === "found" ? look(input.artifact.text, input) : [];

const structuralChecks: StructuralChecks = {
  artifact_exists: ({ artifact }) => {
    switch (artifact.status) {
      case "found":
        return [];
      case "missing":
        return [`The file "${artifact.path}" does not exist. Write the artifact there.`];
      case "refused":
        return [`The file "${artifact.path}" cannot be used (${artifact.reason}): ${artifact.detail}`];
      case "none":
        return ["The contract has no artifact_path, so there is no artifact to check."];
    }
  },
  required_sections_present: onText((text, { contract }) => {
    const { required_sections, section_aliases: aliases, section_match: match } = contract;
    return renderMissingSections([
      ...findMissingSections(text, required_sections, { aliases, match }),
      ...findEmptySections(text, required_sections, { aliases, match }),
    ]);
  }),
  min_length_reached: onText((text, { contract: { min_length = DEFAULT_MIN_LENGTH } }) => {
    const length = readMarkdown(text).reduce((sum, block) => sum + visibleLength(block.text), 0);
    return length >= min_length
      ? []
      : [
          [
            `The artifact has ${length} visible characters; it needs at least ${min_length}.`,
            "Comments, front matter, hidden HTML, link addresses and images do not count.",
          ].join(" "),
        ];
  }),
  is_markdown: onText((text) => {
    const first = readSections(text)[0];
    return first === undefined ? ["The artifact has no Markdown heading. Write it as Markdown with ## headings."] : [];
  }),
  next_phase_recommended: ({ claim, contract }) =>
    claim.recommended_next_phase === contract.next_phase ||
    (claim.skip_to !== null && claim.recommended_next_phase === claim.skip_to)
      ? []
      : ["The claim's recommended_next_phase is missing or not that of the contract."],
  no_open_questions: ({ claim }) =>
    claim.open_questions.length === 0
      ? []
      : [`The claim has ${claim.open_questions.length} open questions. Answer them first.`],
};

/** The checks of a contract: those its mode and fields imply, and those it lists. */
export function checksOf(
  { validation, done_when, artifact_path, required_sections, min_length }: Contract,
  custom: StructuralChecks = {},
): readonly string[] {
  const implied = [
    ...(artifact_path === undefined ? [] : ["artifact_exists"]),
    ...(required_sections.length === 0 ? [] : ["required_sections_present"]),
    ...(min_length === undefined ? [] : ["min_length_reached"]),
  ];
  const listed = [...validation.structural_checks, ...done_when].filter((name) => checkFor(name, custom) !== undefined);
  // A contract in mode `trust` runs only the listed checks.
  return [...new Set(validation.mode === "trust" ? listed : [...implied, ...listed])];
}

/** Runs checks by name, in order. Checks of the text report nothing if there is no artifact. */
export function runChecks(
  names: readonly string[],
  { artifact, contract, claim }: Omit<CheckInput, "sections">,
  custom: StructuralChecks = {},
): readonly CheckFinding[] {
  const sections = (): readonly Section[] => (artifact.status === "found" ? readSections(artifact.text) : []);
  return names.flatMap((check): CheckFinding[] => {
    const problems = checkFor(check, custom)?.({ artifact, contract, claim, sections }) ?? [
      `The check "${check}" is unknown.`,
    ];
    return problems.length === 0 ? [] : [{ check, problems }];
  });
}

function checkFor(name: string, custom: StructuralChecks): StructuralCheck | undefined {
  return ownValue(custom, name) ?? ownValue(structuralChecks, name);
}
