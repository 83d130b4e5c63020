import type { Contract } from "./contract-schema.ts";
import { artifactPathFor } from "./identifier.ts";

/** Renders a contract for an agent: the instructions, what to deliver, and how to claim completion. */
export function renderContractPrompt(contract: Contract, { identifier }: { readonly identifier: string }): string {
  const {
    phase,
    contract_version,
    artifact_path,
    artifact_type,
    required_sections,
    min_length,
    done_when,
    next_phase,
    validation,
  } = contract;
  const path = artifact_path === undefined ? undefined : artifactPathFor(artifact_path, identifier);
  const titles = required_sections.map(sectionTitle).join(", ");
  const next = next_phase === null ? "null" : `"${next_phase}"`;
  const lines = [
    ...(contract.body === "" ? [] : [contract.body, ""]),
    `# Contract of phase "${phase}", version ${contract_version}`,
    "",
    ...(path === undefined
      ? []
      : [`- Write the ${artifact_type?.replaceAll("_", " ") ?? "artifact"} to \`${path}\`, as Markdown.`]),
    ...(required_sections.length === 0
      ? []
      : [`- It needs these sections, each with text below its heading: ${titles}.`]),
    ...(min_length === undefined ? [] : [`- It needs at least ${min_length} characters.`]),
    ...done_when.map((entry) => `- Done when: ${entry.replaceAll("_", " ")}.`),
    ...(validation.mode === "judge" ? ["- A judge reviews the result."] : []),
    "",
    `When it is done, call complete_phase with completed_phase "${phase}", contract_version ${contract_version} ` +
      `and recommended_next_phase ${next}.`,
  ];
  return lines.join("\n");
}

/** Converts a section's key to a heading: `open_questions` is "Open Questions". */
export function sectionTitle(section: string): string {
  return section
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
