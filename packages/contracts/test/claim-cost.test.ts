import { expect, it } from "vitest";
import { type ArtifactSource, createMemoryWorkStore, type Section, type StructuralChecks } from "../src/index.ts";
import { addItem } from "../src/items/add-item.ts";
import { completePhaseTool } from "../src/claims/complete-phase-tool.ts";
import { defineContracts } from "../src/contract/define-contracts.ts";

it("complete_phase reads the file once and parses it once, however often its rules look at it", async () => {
  const contracts = defineContracts([
    {
      phase: "research",
      artifact_path: "a.md",
      required_sections: ["risks"],
      min_length: 5,
      validation: {
        mode: "structural",
        structural_checks: ["is_markdown", "no_open_questions"],
        escalate_if: ["open_questions_present", "security_sensitive"],
      },
    },
    { phase: "ready" },
  ]);
  const store = createMemoryWorkStore();
  await addItem(store, { id: "T-1" }, { contracts });
  let reads = 0;
  const artifacts: ArtifactSource = {
    read: () => {
      reads += 1;
      // A new string each time, as from a file.
      return Promise.resolve({
        status: "found",
        from: "worktree",
        text: ["# Risks", "", "None at all.", ""].join("\n"),
      });
    },
  };
  const seen: (readonly Section[])[] = [];
  const checks: StructuralChecks = {
    no_open_questions: ({ sections }) => {
      seen.push(sections());
      return [];
    },
  };
  const claim = { completed_phase: "research", contract_version: 1, recommended_next_phase: "ready", summary: "Done." };
  const result = await completePhaseTool({ store, item: "T-1", options: { contracts, artifacts, checks } }).execute(
    claim,
  );
  expect(result).toMatchObject({ ok: true, data: { outcome: "advanced" } });
  expect(reads).toBe(1);
  // Early and when the claim is decided; a second parse would be a second list.
  expect(seen).toHaveLength(2);
  expect(new Set(seen).size).toBe(1);
});
