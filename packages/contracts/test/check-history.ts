import type { WorkStore } from "../src/index.ts";
import type { Played } from "./play-history.ts";

/** Everything that must be true of a store after any history; the problems found. */
export async function checkHistory(
  store: WorkStore,
  { acknowledged, delivered, items }: Played,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const must = (true_: boolean, problem: string): void => {
    if (!true_) problems.push(problem);
  };
  const known = new Set<string>();
  for (const id of items) {
    const record = await store.load(id);
    if (record === undefined) return [`${id} is gone`];
    const { item, claims, verdicts } = record;
    const { advances, comments } = await store.history(id);
    const own = delivered.filter(({ itemId }) => itemId === id);
    for (const claim of claims) known.add(claim.id);
    const accepted = claims.filter(({ outcome }) => outcome === "advanced");
    const rejected = claims.filter(({ outcome }) => outcome === "rejected");

    // No double advancement, and no step that does not follow from the one before.
    must(advances.length === accepted.length, `${id}: ${advances.length} advances, ${accepted.length} accepted claims`);
    must(new Set(advances.map(({ claimId }) => claimId)).size === advances.length, `${id}: a claim advanced twice`);
    must(item.entry === advances.length + 1, `${id}: entry ${item.entry} after ${advances.length} advances`);
    let phase = "plan";
    advances.forEach((advance, index) => {
      must(
        advance.entry === index + 1 && advance.from === phase,
        `${id}: advance ${index} from ${advance.from}, was in ${phase}`,
      );
      phase = advance.to ?? phase;
    });
    must(
      item.phase === phase && item.completed === (advances.at(-1)?.to === null),
      `${id}: in ${item.phase}, should be in ${phase}`,
    );
    // A judge's phase is left, or skipped, by a verdict on that very artifact in that very stay.
    for (const { from, to, claimId, entry } of advances) {
      const claim = claims.find((one) => one.id === claimId);
      if (from !== "design" && !(from === "plan" && to === "build")) continue;
      const hash = claim?.snapshot?.status === "found" ? claim.snapshot.hash : undefined;
      must(
        verdicts.some(
          (one) =>
            one.verdict === "approved" &&
            one.entry === entry &&
            one.artifact_hash === hash &&
            one.skip_to === claim?.skip_to,
        ),
        `${id}: left ${from} without a verdict`,
      );
    }

    // No lost claim; what is undecided is undecided for a reason.
    must(
      claims.every(({ processed, outcome }) => processed === (outcome !== undefined && outcome !== "waiting")),
      `${id}: a claim is half decided`,
    );
    must(
      claims.every(({ processed }) => processed),
      `${id}: claims are left undecided`,
    );

    // Metrics, labels and the audit trail say the same.
    must(
      item.metrics.phase_rejection_count === rejected.filter(({ entry }) => entry === item.entry).length,
      `${id}: rejection count ${item.metrics.phase_rejection_count}`,
    );
    must((advances.at(-1)?.at ?? item.createdAt) === item.metrics.entered_phase_at, `${id}: entered_phase_at`);
    must(
      item.labels.filter((label) => label.startsWith("phase:")).join() === `phase:${item.phase}`,
      `${id}: labels ${item.labels.join()}`,
    );
    must(item.labels.includes("needs-revision") === (item.revisionSince !== null), `${id}: needs-revision`);
    must(item.labels.includes("needs-person") === (item.held !== null), `${id}: needs-person`);
    must(item.artifacts.length <= accepted.length + rejected.length, `${id}: too many artifacts`);
    must(comments.filter(({ kind }) => kind === "advance").length === advances.length, `${id}: advance comments`);
    must(comments.filter(({ kind }) => kind === "reject").length === rejected.length, `${id}: reject comments`);

    // Every hook was delivered, and in order.
    const first = [...new Set(own.map((message) => message.id))];
    const names = (name: string): number =>
      new Set(own.filter((message) => message.name === name).map((message) => message.id)).size;
    must(
      names("phase_advance") === advances.length,
      `${id}: ${names("phase_advance")} phase_advance for ${advances.length}`,
    );
    must(names("on-phase-advance") === advances.length, `${id}: on-phase-advance`);
    must(
      names("phase_reject") === rejected.length,
      `${id}: ${names("phase_reject")} phase_reject for ${rejected.length}`,
    );
    const place = (message: string): number => {
      const [version = "0", index = "0"] = message.slice(message.lastIndexOf("@") + 1).split(".");
      return Number(version) * 1000 + Number(index);
    };
    must(
      first.every((message, index) => index === 0 || place(first[index - 1]!) < place(message)),
      `${id}: hooks out of order`,
    );
    must((await store.takeHooks({ leaseMs: 0, limit: 1 })).length === 0, `${id}: hooks are left`);
  }
  for (const claim of acknowledged) must(known.has(claim), `claim ${claim} was acknowledged and is lost`);
  return problems;
}
