import { defineGate, type GateAnswer, type Policy } from "@phasekit/core";
import { type CallCheck, judgeWork, lastChange } from "@phasekit/core/account";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";
import type { WorkLog } from "../work-log.ts";
import { type Claim, type ClaimLexicon, englishClaims, readClaims } from "./read-claims.ts";

/** Options for `claimsTrue()`. All optional. */
export interface ClaimsTrueOptions {
  /** @default "claims-true" */
  readonly gate?: string;
  /** Send the agent back in mode `gate` if nothing tried the code after the last edit. @default true */
  readonly sendBack?: boolean;
  /** @default English */
  readonly lexicon?: ClaimLexicon;
}

interface ClaimState extends OwnWork {
  /** The end of the last message. */
  said: string;
}

const MAX_SAID = 4000;

/**
 * A gate: the agent's last message agrees with the events. "All tests pass" needs a test run that passed after the last
 * edit, "committed" a commit, "CI is green" a result of CI. A message that claims nothing is not its business.
 *
 * @example
 * policies: [phaseTracker(), testsFresh(), claimsTrue()]
 */
export function claimsTrue({
  gate = "claims-true",
  sendBack = true,
  lexicon = englishClaims,
}: ClaimsTrueOptions = {}): Policy {
  const { initial, observe } = ownWork();
  const foldMessage = observe["message.sent"];
  return defineGate<ClaimState>({
    name: gate,
    version: "3",
    initial: () => ({ ...initial(), said: "" }),
    observe: {
      ...observe,
      "message.sent": (state, event, run) => {
        foldMessage?.(state, event, run);
        state.said = (event.excerpt ?? "").slice(-MAX_SAID);
      },
    },
    check: (run, state, { text }): GateAnswer | undefined => {
      const log = workOf(run, state);
      const answers = readClaims(`${state.said}\n${text ?? ""}`, lexicon).flatMap((claim) => {
        const answer = compare(claim, log);
        return answer === undefined ? [] : [answer];
      });
      const worst = ["veto", "objection", "doubt", "met"].flatMap((verdict) =>
        answers.filter((answer) => answer.verdict === verdict),
      )[0];
      return worst?.verdict === "veto" && !sendBack ? { verdict: "objection", why: worst.why } : worst;
    },
  });
}

function compare(claim: Claim, log: Readonly<WorkLog>): GateAnswer | undefined {
  switch (claim.claim) {
    case "tests-pass":
      return compareTests(log, claim.count);
    case "committed":
      return compareStep(log, { done: "committed", does: "commit", seq: log.delivery.committedSeq });
    case "pushed":
      return compareStep(log, { done: "pushed", does: "push", seq: log.delivery.pushedSeq });
    case "ci-green":
      return compareCi(log);
    case "no-findings":
      return compareFindings(log);
  }
}

const SAYS = "The agent says that the tests pass";

function compareTests({ work, checks }: Readonly<WorkLog>, count: number | undefined): GateAnswer | undefined {
  const { problem, check, change, grade, suite } = judgeWork({ work, checks });
  const since = Math.max(change?.needsSince ?? 0, work.lastUnreadSeq);
  const ran = checks.seen.filter((seen) => seen.kind !== "run" && seen.kind !== "lint" && seen.passed !== undefined);
  const last = checks.seen.findLast(({ kind, verdict }) => isTests(kind) && verdict !== "unknown");
  if (problem === "red-suite")
    return {
      verdict: "veto",
      why: `${SAYS}, but all of them ran and failed (call ${String(suite?.call ?? 0)}), and only some ran again.`,
      text: "You say that the tests pass. All of them ran and failed, and only some passed later. Run all of them again.",
    };
  if (last?.verdict === "fail") return { verdict: "objection", why: `${SAYS}, but the last test run failed.` };
  if (last !== undefined && last.seq >= since) {
    if (count !== undefined && ran.length > 0 && !ran.some(({ passed = 0 }) => passed >= count))
      return { verdict: "doubt", why: `${SAYS} (${String(count)}), but no test run shows that many.` };
    return { verdict: "met", why: `${SAYS}, and they did.` };
  }
  if (grade === "not-needed" && work.changes === 0) return undefined;
  const tests = checks.seen.findLast(({ kind }) => isTests(kind));
  const isUnread = work.lastUnreadSeq === since && since > 0;
  const why =
    tests === undefined
      ? `${SAYS}, but no test run was seen.`
      : tests.seq < since
        ? `${SAYS}, but they did not run after ${isUnread ? "a call that could not be read" : "the last edit"}.`
        : `${SAYS}, but the last test run shows no result.`;
  // Something reached the work: the claim is wide, and not empty.
  if (tests !== undefined && tests.seq >= since) return { verdict: "doubt", why };
  if (grade === "supported" || grade === "weak" || (problem === "failed" && check?.kind === "run"))
    return { verdict: "doubt", why };
  if (grade === "not-needed") return { verdict: "doubt", why };
  return {
    verdict: "veto",
    why,
    text: "You say that the tests pass, and they did not run after your last change. Run the tests, then finish.",
  };
}

const isTests = (kind: CallCheck["kind"]): boolean => kind === "test" || kind === "ci" || kind === "hook";

/** A commit or a push that the agent claims and never made. Others may have made it where not every call is seen. */
function compareStep(
  { work, delivery, hasTools }: Readonly<WorkLog>,
  { done, does, seq }: { readonly done: string; readonly does: string; readonly seq: number },
): GateAnswer | undefined {
  const change = lastChange(work);
  if (change === undefined && seq === 0) return undefined;
  if (seq >= (change?.seq ?? 0) && seq > 0)
    return { verdict: "met", why: `The agent says that it ${done}, and it did.` };
  if (seq > 0 || work.unread > 0 || delivery.observed || !hasTools)
    return { verdict: "doubt", why: `The agent says that it ${done}, but there are changes after the last ${does}.` };
  return {
    verdict: "veto",
    why: `The agent says that it ${done}, but no ${does} was seen.`,
    text: `You say that you ${done}, and no ${does} was seen. Do it, or say that you did not.`,
  };
}

function compareCi({ delivery: { ci }, work }: Readonly<WorkLog>): GateAnswer | undefined {
  if (ci?.verdict === "pass") return { verdict: "met", why: "The agent says that CI is green, and it is." };
  if (ci?.verdict === "fail")
    return {
      verdict: "veto",
      why: "The agent says that CI is green, but the last result that was seen is red.",
      text: "You say that CI is green, and the last result you looked at is red. Look again, or say that it is red.",
    };
  return work.changes === 0
    ? undefined
    : { verdict: "doubt", why: "The agent says that CI is green, but no result was seen." };
}

function compareFindings({ checks }: Readonly<WorkLog>): GateAnswer | undefined {
  const last = checks.seen.findLast(({ kind }) => kind === "lint" || kind === "types" || kind === "hook");
  if (last === undefined || last.verdict === "pass") return undefined;
  return last.verdict === "fail"
    ? { verdict: "objection", why: "The agent says that there are no findings, but the last check has some." }
    : { verdict: "doubt", why: "The agent says that there are no findings, but the last check shows no result." };
}
