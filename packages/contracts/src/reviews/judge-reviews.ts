import { isOpen, itemChange } from "../claims/claim-change.ts";
import type { Claim } from "../claims/claim-schema.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { contractFor } from "../contract/contract-set.ts";
import { recordVerdict } from "./give-verdict.ts";
import { itemsHaving } from "../items/items-having.ts";
import type { ProcessOptions } from "../claims/process-claims.ts";
import { errorText } from "../error-text.ts";
import { readVerdict } from "./read-verdict.ts";
import { renderJudgePrompt } from "./render-judge-prompt.ts";
import { isoTime, randomId, systemClock } from "../system.ts";
import { updateItem } from "../items/update-item.ts";
import type { ClaimReview, VerdictInput } from "./verdict-schema.ts";
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

/** Answer of a judge: a verdict, or a model's text with the verdict as JSON; undefined leaves it to a person. */
export type JudgeAnswer = VerdictInput | string | undefined;

/** A judge: a model, a script or a person behind a form. */
export type Judge = (request: JudgeRequest) => Promise<JudgeAnswer> | JudgeAnswer;

/** Options for judges. */
export interface ClaimJudgeOptions {
  /** Answers reviews. @default reviews wait for `giveVerdict()` */
  readonly judge?: Judge;
  /** The judge's name in verdicts and comments. @default "judge" */
  readonly judgeName?: string;
  /** Attempts per review before a person must answer. @default 3 */
  readonly judgeAttempts?: number;
  /** Maximum number of judges that work in parallel. @default 4 */
  readonly judgeConcurrency?: number;
  /** Resolves after `ms` milliseconds; enforces `judge_timeout` within one call. @default the timeout ends the lease */
  readonly wait?: (ms: number) => Promise<void>;
}

type JudgeContext = ClaimJudgeOptions &
  Pick<ProcessOptions, "contracts" | "log" | "clock" | "createId"> & { readonly judge: Judge };

/** Result of asking the judges. */
export interface JudgedReviews {
  readonly verdicts: number;
  /** Reviews that were passed to a person. */
  readonly toPerson: readonly ClaimReview[];
}

/** Asks the judge for every open review that no judge is working on. */
export async function judgeReviews(store: WorkStore, options: JudgeContext): Promise<JudgedReviews> {
  const { judgeConcurrency = 4 } = options;
  const waiting: { readonly itemId: string; readonly reviewId: string }[] = [];
  for await (const itemId of itemsHaving(store, "open-review")) {
    const record = await store.load(itemId);
    for (const review of record?.reviews ?? [])
      if (review.state === "open") waiting.push({ itemId, reviewId: review.id });
  }
  let verdicts = 0;
  const toPerson: ClaimReview[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const answered = await judgeOne(store, next, options);
      if (answered === true) verdicts += 1;
      else if (answered !== undefined) toPerson.push(answered);
    }
  };
  await Promise.all(Array.from({ length: judgeConcurrency }, work));
  return { verdicts, toPerson };
}

/** Returns true for a verdict, or the review if it was passed to a person. */
async function judgeOne(
  store: WorkStore,
  { itemId, reviewId }: { readonly itemId: string; readonly reviewId: string },
  options: JudgeContext,
): Promise<true | ClaimReview | undefined> {
  const {
    contracts,
    judge,
    judgeName = "judge",
    wait,
    log,
    clock = systemClock,
    createId = randomId,
    judgeAttempts: maxAttempts = 3,
  } = options;
  const taken = await takeReview(store, { itemId, reviewId, maxAttempts, contracts, clock });
  if (taken === undefined || "state" in taken) return taken;
  const { record, review, contract } = taken;
  const claim = record.claims.find(({ id }) => id === review.claim_id);
  if (claim === undefined) return undefined;
  const artifact = await store.readSnapshot(review.artifact_hash);
  const failed = (code: string, problem: string): Promise<ClaimReview | undefined> => {
    log?.({
      level: "warn",
      event: "judge_failed",
      identifier: itemId,
      phase: review.phase,
      claim_id: claim.id,
      code,
      text: problem,
    });
    return giveBack(store, { itemId, reviewId, maxAttempts, clock, problem });
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
    return failed("judge_threw", `The judge threw: ${errorText(error)}`);
  }
  if (answer === timedOut)
    return failed("judge_timeout", `The judge did not answer within ${contract.judge_timeout} ms.`);
  if (answer === undefined)
    return giveBack(store, {
      itemId,
      reviewId,
      maxAttempts: 0,
      clock,
      problem: "The judge left it to a person.",
    });
  const read = readVerdict(answer, { review: reviewId });
  if (!read.ok) return failed("verdict_invalid", `The judge's answer is not a verdict: ${read.problems.join("; ")}.`);
  const isRecorded = await recordVerdict(store, {
    itemId,
    reviewId,
    verdict: read.verdict,
    judge: judgeName,
    clock,
    createId,
  });
  return isRecorded || undefined;
}

const timedOut = Symbol("timed out");

interface ReviewTask {
  readonly itemId: string;
  readonly reviewId: string;
  readonly maxAttempts: number;
  readonly clock: () => number;
}

/** A review that this worker asks the judge about. */
interface TakenReview {
  readonly record: WorkRecord;
  readonly review: ClaimReview;
  readonly contract: Contract;
}

/** Leases a review for `judge_timeout`, which ends if the worker dies. After the last attempt, a person gets it. */
async function takeReview(
  store: WorkStore,
  { itemId, reviewId, maxAttempts, contracts, clock }: ReviewTask & Pick<ProcessOptions, "contracts">,
): Promise<TakenReview | ClaimReview | undefined> {
  return updateItem<TakenReview | ClaimReview | undefined>(store, itemId, (record) => {
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
    if (review.attempts >= maxAttempts) return toPerson(record, review, { now, problem: "No judge answered in time." });
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

/** Releases a review after a failed attempt. After the last attempt, a person must answer it: returns it then. */
async function giveBack(
  store: WorkStore,
  { itemId, reviewId, maxAttempts, clock, problem }: ReviewTask & { readonly problem: string },
): Promise<ClaimReview | undefined> {
  return updateItem<ClaimReview | undefined>(store, itemId, (record) => {
    const now = clock();
    const review = record.reviews.find(({ id }) => id === reviewId);
    if (review === undefined || !isOpen(review)) return { answer: undefined };
    if (review.attempts >= maxAttempts) return toPerson(record, review, { now, problem });
    const released = { ...review, leased_until: null };
    return { change: itemChange(record.item, {}, { now, rest: { reviews: [released] } }), answer: undefined };
  });
}

/** Passes a review to a person, because no judge answered it. */
function toPerson(
  { item }: WorkRecord,
  review: ClaimReview,
  { now, problem }: { readonly now: number; readonly problem: string },
): { readonly change: WorkChange; readonly answer: ClaimReview } {
  const passed: ClaimReview = { ...review, state: "person", leased_until: null };
  const attempts = `judges made ${review.attempts} attempts`;
  const text = `A person must give the verdict on "${review.phase}" (${attempts}). ${problem}`;
  const comments = [{ kind: "review" as const, text }];
  return { change: itemChange(item, {}, { now, rest: { reviews: [passed] }, comments }), answer: passed };
}
