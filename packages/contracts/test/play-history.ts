import {
  type ClaimInput,
  type HookMessage,
  type Judge,
  createMemoryArtifacts,
  type ProcessOptions,
  type WorkStore,
} from "../src/index.ts";
import { addItem } from "../src/items/add-item.ts";
import { deliverHooks } from "../src/items/deliver-hooks.ts";
import { endItemRun, releaseItem, startItemRun } from "../src/items/item-runs.ts";
import { giveVerdict } from "../src/reviews/give-verdict.ts";
import { pendingReviews } from "../src/items/items-having.ts";
import { processClaims } from "../src/claims/process-claims.ts";
import { submitClaim } from "../src/claims/submit-claim.ts";
import { defineContracts } from "../src/contract/define-contracts.ts";
import { isPhasekitError } from "@phasekit/core";
import { Crash, crashingStore } from "./crashing-store.ts";
import { createRandom, type Random } from "./random.ts";

const contracts = defineContracts([
  {
    phase: "plan",
    artifact_path: "docs/{identifier}/plan.md",
    required_sections: ["risks"],
    max_rejections: 3,
    max_runs: 4,
    validation: { escalate_if: ["open_questions_present"] },
  },
  { phase: "design", artifact_path: "docs/{identifier}/design.md", max_rejections: 3, validation: { mode: "judge" } },
  { phase: "build", validation: { mode: "trust" } },
]);
const MINUTE = 60_000;
const TEXTS = ["## Risks\n\nNone.\n", "## Risks\n\nSome.\n", "# No sections\n", undefined];

/** What a history leaves behind besides the store. */
export interface Played {
  /** Claims whose submission was acknowledged. */
  readonly acknowledged: readonly string[];
  readonly delivered: readonly HookMessage[];
  readonly items: readonly string[];
}

interface World {
  readonly store: WorkStore;
  readonly random: Random;
  readonly items: readonly string[];
  readonly acknowledge: Witness["acknowledged"];
  readonly deliver: Witness["delivered"];
  readonly options: ProcessOptions & { readonly clock: () => number; readonly createId: () => string };
  readonly files: Map<string, string>;
}

/** The time of a history and of its store. */
export interface Time {
  now: number;
}

export const startTime = (): Time => ({ now: Date.parse("2026-01-01T00:00:00Z") });

/** Where a history writes down what it was told and what it delivered. */
export interface Witness {
  readonly acknowledged: (claim: string) => void;
  readonly delivered: (message: HookMessage) => void;
}

/** Plays one random history on a store: agents, judges, deliverers and time, side by side, each dying now and then. */
export async function playHistory(
  store: WorkStore,
  seed: number,
  { time, witness }: { readonly time: Time; readonly witness?: Witness },
): Promise<Played> {
  const random = createRandom(seed);
  let ids = 0;
  const files = new Map<string, string>();
  const items = Array.from({ length: 1 + random.below(2) }, (_, index) => `H${seed}-${index}`);
  const options = {
    contracts,
    artifacts: createMemoryArtifacts({ project: files }),
    clock: () => time.now,
    createId: () => `${seed}-${(ids += 1)}`,
  };
  const acknowledged: string[] = [];
  const delivered: HookMessage[] = [];
  const {
    acknowledged: acknowledge = (claim: string) => void acknowledged.push(claim),
    delivered: deliver = (message: HookMessage) => void delivered.push(message),
  } = witness ?? {};
  const world: World = { store, random, items, acknowledge, deliver, options, files };
  for (const id of items) await addItem(store, { id }, options);

  const actors: readonly ((world: World) => Promise<void>)[] = [agent, agent, worker, worker, judge, deliverer, runner];
  for (let round = 2 + random.below(5); round > 0; round -= 1) {
    const crew = Array.from({ length: 2 + random.below(3) }, () => random.pick(actors));
    await Promise.all(
      crew.map((act) => alive(act({ ...world, store: crashingStore(store, { random, crashes: 0.03 }) }))),
    );
    if (random.chance(0.3)) time.now += random.pick([1, 11, 31]) * MINUTE;
    if (random.chance(0.05))
      for (const item of items) await releaseItem(store, { item, by: "ada", clock: options.clock });
  }
  await recover(store, { items, time, deliver, createId: options.createId });
  return { acknowledged, delivered, items };
}

/** The workers that are left finish what the dead ones began. */
export async function recover(
  store: WorkStore,
  {
    items,
    time,
    deliver,
    createId,
  }: {
    readonly items: readonly string[];
    readonly time: Time;
    readonly deliver: Witness["delivered"];
    readonly createId: () => string;
  },
): Promise<void> {
  const options = { contracts, clock: () => time.now, createId };
  for (let round = 0; round < 4; round += 1) {
    time.now += 11 * MINUTE;
    for (const item of items) await releaseItem(store, { item, by: "ada", clock: options.clock });
    await processClaims(store, { ...options, judge: (): ReturnType<Judge> => ({ verdict: "approved", reason: "ok" }) });
    for (const { id } of await pendingReviews(store, options))
      await giveVerdict(store, { review: id, verdict: "approved", reason: "a person looked", judge: "ada" }, options);
    await deliverHooks(store, { deliver, clock: options.clock });
  }
  // Nothing is leased any more.
  time.now += 11 * MINUTE;
}

/** Runs an actor until it is done or dead. */
async function alive(acting: Promise<void>): Promise<void> {
  try {
    await acting;
  } catch (error) {
    if (error instanceof Crash) return;
    // Refusals are answers; anything else is a mistake.
    if (!isPhasekitError(error)) throw error;
  }
}

async function agent({ store, random, items, acknowledge, options, files }: World): Promise<void> {
  const item = random.pick(items);
  const record = await store.load(item);
  const phase = record?.item.phase ?? "plan";
  const claimed = random.chance(0.1) ? random.pick(["plan", "design", "build"]) : phase;
  const text = random.pick(TEXTS);
  if (text === undefined) files.delete(`docs/${item}/${phase}.md`);
  else files.set(`docs/${item}/${phase}.md`, text);
  const input: ClaimInput = {
    completed_phase: claimed,
    contract_version: random.chance(0.1) ? 0 : 1,
    recommended_next_phase: contracts.byPhase[claimed]?.next_phase ?? null,
    ...(random.chance(0.2) && { open_questions: ["Why?"] }),
    ...(random.chance(0.1) && { skip_to: "build", skip_reason: "small" }),
  };
  const times = random.chance(0.3) ? 2 : 1;
  for (let n = 0; n < times; n += 1) {
    const claim = await submitClaim(
      store,
      { item, ...input },
      { ...options, ...(random.chance(0.3) && { idempotencyKey: `k${random.below(3)}` }) },
    );
    acknowledge(claim.id);
  }
  if (random.chance(0.5)) await processClaims(store, options);
}

async function worker({ store, random, options }: World): Promise<void> {
  await processClaims(store, { ...options, ...(random.chance(0.4) && { judge: decide(random) }) });
}

function decide(random: Random): Judge {
  return () => {
    if (random.chance(0.2)) throw new Error("down");
    return random.chance(0.1)
      ? undefined
      : { verdict: random.chance(0.6) ? "approved" : "rejected", reason: "because" };
  };
}

async function judge({ store, random, options }: World): Promise<void> {
  for (const { id } of await pendingReviews(store, options)) {
    await giveVerdict(
      store,
      { review: id, verdict: random.chance(0.6) ? "approved" : "rejected", reason: "because", judge: "ada" },
      options,
    );
  }
}

async function deliverer({ store, random, deliver: witness, options: { clock } }: World): Promise<void> {
  const deliver = (message: HookMessage): void => {
    if (random.chance(0.1)) throw new Error("503");
    witness(message);
  };
  await deliverHooks(store, {
    deliver,
    clock,
    createChangeRequest: (item) => Promise.resolve({ id: `PR-${item.id}` }),
  });
}

async function runner({ store, random, items, options }: World): Promise<void> {
  const item = random.pick(items);
  const runId = `run-${random.below(6)}`;
  await startItemRun(store, { item, runId, worktreePath: "/gone", ...options });
  if (random.chance(0.5)) await endItemRun(store, { item, runId, clock: options.clock });
}
