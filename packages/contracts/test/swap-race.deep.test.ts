import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { depth } from "@phasekit/tooling/test-depth";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Artifact, createMemoryWorkStore } from "../src/index.ts";
import { addItem } from "../src/items/add-item.ts";
import { completePhaseTool } from "../src/claims/complete-phase-tool.ts";
import { startItemRun } from "../src/items/item-runs.ts";
import { submitClaim } from "../src/claims/submit-claim.ts";
import { processClaim } from "../src/claims/process-claims.ts";
import { hashContent } from "../src/sha256.ts";
import { createArtifactFiles } from "../src/node.ts";
import { defineContracts } from "../src/contract/define-contracts.ts";

const SWAPPER = fileURLToPath(new URL("./swap-artifact.ts", import.meta.url));
const CLAIMS = depth({ quick: 60, full: 240, long: 5000 });
const contracts = defineContracts([
  { phase: "research", artifact_path: "docs/research.md", required_sections: ["problem", "risks"], min_length: 20 },
  { phase: "ready" },
]);
const CLAIM = { completed_phase: "research", contract_version: 1, recommended_next_phase: "ready", summary: "Done." };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-swap-"));
  mkdirSync(join(folder, "worktree/docs"), { recursive: true });
  mkdirSync(join(folder, "outside"));
  mkdirSync(join(folder, "project"));
  for (const name of ["secret.md", "research.md"])
    writeFileSync(
      join(folder, "outside", name),
      "# Research\n\n## Problem\n\nSECRET\n\n## Risks\n\nSECRET SECRET SECRET\n",
    );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("an artifact that is swapped while claims are made", () => {
  it("an artifact that is swapped while claims are made keeps exactly the text that was checked", async () => {
    const swapper = spawn(process.execPath, [SWAPPER, join(folder, "worktree/docs"), join(folder, "outside")], {
      stdio: "ignore",
    });
    const files = createArtifactFiles({ projectRoot: join(folder, "project") });
    async function claimOnce(n: number): Promise<string> {
      const store = createMemoryWorkStore();
      const item = `T-${n}`;
      await addItem(store, { id: item }, { contracts });
      await startItemRun(store, { item, runId: "r", worktreePath: join(folder, "worktree"), contracts });
      const checked: Artifact[] = [];
      const checks = {
        min_length_reached: ({ artifact }: { readonly artifact: Artifact }) => (checked.push(artifact), []),
      };
      const options = { contracts, artifacts: files, checks };
      if (n % 2 === 0) {
        await completePhaseTool({ store, item, options }).execute(CLAIM);
      } else {
        const claim = await submitClaim(store, { item, ...CLAIM }, options);
        await processClaim(store, { item, claim: claim.id }, options);
      }
      const record = await store.load(item);
      const claim = record?.claims[0];
      const outcome = claim === undefined ? "refused early" : (claim.outcome ?? "open");
      const texts = checked.map((artifact) => (artifact.status === "found" ? artifact.text : artifact.status));
      // Whatever was looked at within one claim is one and the same text.
      expect(new Set(texts).size).toBeLessThanOrEqual(1);
      expect(texts.join("")).not.toContain("SECRET");
      if (claim?.snapshot?.status !== "found") return outcome;
      const kept = (await store.readSnapshot(claim.snapshot.hash)) ?? "";
      expect(hashContent(kept)).toBe(claim.snapshot.hash);
      expect(claim.artifact_hash).toBe(claim.snapshot.hash);
      expect(kept).not.toContain("SECRET");
      if (texts[0] !== undefined) expect(texts[0]).toBe(kept);
      if (claim.outcome === "advanced") expect(kept).toContain("## Risks");
      return outcome;
    }
    try {
      // Wait until the other process is at work.
      await expect.poll(() => existsSync(join(folder, "worktree/docs/research.md")), { timeout: 600_000 }).toBe(true);
      for (let n = 0; n < CLAIMS; n += 1) await claimOnce(n);
    } finally {
      swapper.kill("SIGKILL");
      await once(swapper, "exit");
    }
    // What the claims above met is luck. Without the other process a good text advances, and a link to outside does not.
    rmSync(join(folder, "worktree"), { recursive: true, force: true });
    mkdirSync(join(folder, "worktree/docs"), { recursive: true });
    const artifact = join(folder, "worktree/docs/research.md");
    writeFileSync(artifact, `# Research\n\n## Problem\n\n${"Text. ".repeat(20)}\n\n## Risks\n\nSome.\n`);
    expect([await claimOnce(CLAIMS), await claimOnce(CLAIMS + 1)]).toEqual(["advanced", "advanced"]);
    rmSync(artifact);
    symlinkSync(join(folder, "outside/research.md"), artifact);
    expect([await claimOnce(CLAIMS + 2), await claimOnce(CLAIMS + 3)]).not.toContain("advanced");
  });
});
