import { isOpen, itemChange } from "../claims/claim-change.ts";
import type { Claim } from "../claims/claim-schema.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { contractFor } from "../contract/contract-set.ts";
import { recordVerdict } from "./give-verdict.ts";
import { itemsHaving } from "../items/items-having.ts";
import type { ProcessOptions } from "../claims/process-claims.ts";
import { renderJudgePrompt } from "./render-judge-prompt.ts";
import { isoTime, randomId, systemClock } from "../system.ts";
import { updateItem } from "../items/update-item.ts";
import { type ClaimReview, type VerdictInput, verdictInputSchema } from "./verdict-schema.ts";
import type { WorkItem } from "../items/work-item.ts";
import type { WorkChange, WorkRecord, WorkStore } from "../stores/work-store.ts";

/** Input of a judge. The artifact is the copy from claim time. */
export interface JudgeRequest {
  readonly review: ClaimReview;
  readonly item: WorkItem;
  readonly claim: Claim;
  readonly contract: Contract;
  readonly artifact: string | undefined;
  /** The request as one text, for a model. */
  readonly prompt: string;
}

/** A judge: a model, a script or a person behind a form. Returns a verdict, or undefined to leave it to a person. */
export type Judge = (request: JudgeRequest) => Promise<VerdictInput | undefined> | VerdictInput | undefined;

/** Options for `judgeReviews()`. */
export interface JudgeOptions extends Pick<ProcessOptions, "contracts" | "wait" | "log" | "clock" | "createId"> {
  readonly judge: Judge;
  /** The judge's name in verdicts and comments. @default "judge" */
  readonly judgeName?: string;
  /** Attempts per review before a person must answer. @default 3 */
  readonly maxAttempts?: number;
  /** Maximum number of judges that work in parallel. @default 4 */
  readonly concurrency?: number;
}

/** Asks the judge for every open review that no judge is working on. Returns the number of verdicts. */
export async function judgeReviews(store: WorkStore, options: JudgeOptions): Promise<number> {
  const { concurrency = 4 } = options;
  const waiting: { readonly itemId: string; readonly reviewId: string }[] = [];
  for await (const itemId of itemsHaving(store, "open-review")) {
    const record = await store.load(itemId);
    for (const review of record?.reviews ?? [])
      if (review.state === "open") waiting.push({ itemId, reviewId: review.id });
  }
  let verdicts = 0;
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      if (await judgeOne(store, next, options)) verdicts += 1;
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return verdicts;
}

async function judgeOne(
  store: WorkStore,
  { itemId, reviewId }: { readonly itemId: string; readonly reviewId: string },
  options: JudgeOptions,
): Promise<boolean> {
  const {
    contracts,
    judge,
    judgeName = "judge",
    wait,
    log,
    clock = systemClock,
    createId = randomId,
    maxAttempts = 3,
  } = options;
  const taken = await takeReview(store, { itemId, reviewId, maxAttempts, contracts, clock });
  if (taken === undefined) return false;
  const { record, review, contract } = taken;
  const claim = record.claims.find(({ id }) => id === review.claim_id);
  if (claim === undefined) return false;
  const artifact = await store.readSnapshot(review.artifact_hash);
  const failed = async (problem: string): Promise<false> => {
    log?.({
      level: "warn",
      event: "judge_failed",
      identifier: itemId,
      phase: review.phase,
      claim_id: claim.id,
      reason: "judge",
      text: problem,
    });
    await giveBack(store, { itemId, reviewId, maxAttempts, clock, problem });
    return false;
  };
  let answer: unknown;
  try {
    const request = { review, item: record.item, claim, contract, artifact };
    const asked = Promise.resolve(judge({ ...request, prompt: renderJudgePrompt(request) }));
    answer = await (wait === undefined
      ? asked
      : Promise.race([asked, wait(contract.judge_timeout).then(() => timedOut)]));
    // A late answer is ignored, and must not become an unhandled rejection.
    if (answer === timedOut) asked.catch(() => undefined);
  } catch (error) {
    return failed(`The judge threw: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (answer === timedOut) return failed(`The judge did not answer within ${contract.judge_timeout} ms.`);
  if (answer === undefined) {
    await giveBack(store, { itemId, reviewId, maxAttempts: 0, clock, problem: "The judge left it to a person." });
    return false;
  }
  const parsed = verdictInputSchema.safeParse(answer);
  if (!parsed.success) return failed("The judge's answer is not a verdict.");
  return recordVerdict(store, { itemId, reviewId, verdict: parsed.data, judge: judgeName, clock, createId });
}

const timedOut = Symbol("timed out");

interface ReviewTask {
  readonly itemId: string;
  readonly reviewId: string;
  readonly maxAttempts: number;
  readonly clock: () => number;
}

/** Leases a review for `judge_timeout`. If the worker dies, the lease expires. */
async function takeReview(
  store: WorkStore,
  { itemId, reviewId, maxAttempts, contracts, clock }: ReviewTask & Pick<ProcessOptions, "contracts">,
): Promise<{ readonly record: WorkRecord; readonly review: ClaimReview; readonly contract: Contract } | undefined> {
  return updateItem(store, itemId, (record) => {
    const now = clock();
    const review = record.reviews.find(({ id }) => id === reviewId);
    const contract = review && contractFor(contracts, review.phase);
    if (
      review === undefined ||
      contract === undefined ||
      review.state !== "open" ||
      contract.hash !== review.contract_hash
    )
      return { answer: undefined };
    if (review.leased_until !== null && Date.parse(review.leased_until) > now) return { answer: undefined };
    if (review.attempts >= maxAttempts)
      return { change: toPerson(record, review, { now, problem: "No judge answered in time." }), answer: undefined };
    const taken: ClaimReview = {
      ...review,
      attempts: review.attempts + 1,
      leased_until: isoTime(now + contract.judge_timeout),
    };
    return {
      change: itemChange(record.item, {}, { now, rest: { reviews: [taken] } }),
      answer: { record, review: taken, contract },
    };
  });
}

/** Releases a review after a failed attempt. After the last attempt, a person must answer it. */
async function giveBack(
  store: WorkStore,
  { itemId, reviewId, maxAttempts, clock, problem }: ReviewTask & { readonly problem: string },
): Promise<void> {
  await updateItem(store, itemId, (record) => {
    const now = clock();
    const review = record.reviews.find(({ id }) => id === reviewId);
    if (review === undefined || !isOpen(review)) return { answer: undefined };
    const change =
      review.attempts >= maxAttempts
        ? toPerson(record, review, { now, problem })
        : itemChange(record.item, {}, { now, rest: { reviews: [{ ...review, leased_until: null }] } });
    return { change, answer: undefined };
  });
}

/** Passes a review to a person, because no judge answered it. */
function toPerson(
  { item }: WorkRecord,
  review: ClaimReview,
  { now, problem }: { readonly now: number; readonly problem: string },
): WorkChange {
  const attempts = `judges made ${review.attempts} attempts`;
  const text = `A person must give the verdict on "${review.phase}" (${attempts}). ${problem}`;
  return itemChange(
    item,
    {},
    {
      now,
      rest: { reviews: [{ ...review, state: "person", leased_until: null }] },
      comments: [{ kind: "review", text }],
    },
  );
}
