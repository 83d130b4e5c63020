import type { Artifact } from "../contract/artifact.ts";
import type { Claim } from "../claims/claim-schema.ts";
import type { ClaimDecision } from "../claims/decide-claim.ts";
import type { AuditComment } from "../stores/work-store.ts";
import type { WorkItem } from "./work-item.ts";

type Advance = Extract<ClaimDecision, { readonly outcome: "advanced" }>;
type Reject = Extract<ClaimDecision, { readonly outcome: "rejected" }>;

/** Comment on an advance. */
export function advanceComment(artifact: Artifact, decision: Advance): string {
  const { to, code, text, verdict, escalations } = decision;
  const path = artifact.status === "found" ? artifact.path : undefined;
  return lines(
    text,
    verdict === undefined
      ? `Validation: ${code}.`
      : `Validation: ${code}. Approved by ${verdict.judge}: ${verdict.reason}`,
    ...escalations.map(({ trigger, evidence }) => `Escalated by ${trigger}: ${evidence}`),
    path === undefined ? undefined : `Artifact: ${path}`,
    artifact.status === "found" ? artifact.warning : undefined,
    to === "ready" && path !== undefined ? `Worker: follow the step-by-step instructions in ${path}.` : undefined,
  );
}

/** Comment on a rejected claim, for people and the next agent. */
export function rejectComment(item: WorkItem, { code, text, fix, verdict }: Reject, rejections: number): string {
  return lines(
    `The claim that "${item.phase}" is complete was rejected (${code}, rejection ${rejections} in this phase).`,
    verdict === undefined ? text : `${verdict.judge}: ${text}`,
    fix === text ? undefined : `To fix:\n${fix}`,
  );
}

/** Comment on skipped phases. */
export function skipComment({ completed_phase, skip_to, skip_reason }: Claim, skipped: readonly string[]): string {
  const phases = skipped.map((phase) => `"${phase}"`).join(", ");
  return `Skipped ${phases} on the way from "${completed_phase}" to "${skip_to ?? ""}": ${skip_reason ?? ""}`;
}

/** Comment on a revision that did not arrive in time. */
export function expiryComment(item: WorkItem, minutes: number, held: string | undefined): string {
  return held === undefined
    ? `No revision of "${item.phase}" arrived within ${minutes} minutes. The item will be dispatched again.`
    : `No revision of "${item.phase}" arrived within ${minutes} minutes. A person must review the item: ${held}`;
}

function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join("\n");
}

/** The comment on an item that is held. */
export function holdComment(held: string): Pick<AuditComment, "kind" | "text"> {
  return { kind: "hold", text: `A person must review the item: ${held}` };
}
