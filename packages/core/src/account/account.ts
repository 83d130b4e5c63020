import type { RunEvent } from "../events/run-event.ts";
import { type Checks, createChecks, foldChecks } from "./checks.ts";
import { createDelivery, type Delivery, foldDelivery } from "./delivery.ts";
import { createWork, foldWork, type Work } from "./work.ts";

/** The account of a run so far: what it changed, what checked that, and how far it was delivered. */
export interface Account {
  readonly work: Work;
  readonly checks: Checks;
  readonly delivery: Delivery;
}

/** The account of a run that has done nothing. */
export function createAccount(): Account {
  return { work: createWork(), checks: createChecks(), delivery: createDelivery() };
}

/**
 * Folds one event into the account of a run.
 *
 * @example
 * const account = createAccount();
 * for (const event of events) foldAccount(account, event);
 * console.log(judgeWork(account).grade);
 */
export function foldAccount({ work, checks, delivery }: Account, event: RunEvent): void {
  // A check of a line is older than the change behind it, so it is folded into the work as it was.
  foldChecks(checks, event, work);
  foldDelivery(delivery, event);
  foldWork(work, event);
}
