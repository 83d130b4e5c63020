import { defineGate, type GateAnswer, type Policy } from "@phasekit/core";
import { type OwnWork, ownWork, workOf } from "../own-work.ts";
import type { WorkLog } from "../work-log.ts";
import { type ClaimLexicon, englishClaims, readClaims } from "./read-claims.ts";

/** Options for `claimsMatch()`. All optional. */
export interface ClaimsMatchOptions {
  /** @default "claims-match" */
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
 * edit. A message that claims nothing is not its business.
 *
 * @example
 * policies: [phaseTracker(), freshTests(), claimsMatch()]
 */
export function claimsMatch({
  gate = "claims-match",
  sendBack = true,
  lexicon = englishClaims,
}: ClaimsMatchOptions = {}): Policy<ClaimState> {
  const { initial, observe } = ownWork();
  const foldMessage = observe["message.sent"];
  return defineGate<ClaimState>({
    name: gate,
    version: "2",
    initial: () => ({ ...initial(), said: "" }),
    observe: {
      ...observe,
      "message.sent": (state, event, run) => {
        foldMessage?.(state, event, run);
        state.said = (event.excerpt ?? "").slice(-MAX_SAID);
      },
    },
    check: (run, state, { text }): GateAnswer | undefined => {
      const claims = readClaims(`${state.said}\n${text ?? ""}`, lexicon);
      if (!claims.includes("tests-pass")) return undefined;
      return compareTests(workOf(run, state), sendBack);
    },
  });
}

const SAYS = "The agent says that the tests pass";

function compareTests(work: Readonly<WorkLog>, sendBack: boolean): GateAnswer | undefined {
  const { lastTest, lastTrySeq, edits, unread, lastUnreadSeq } = work;
  const lastCodeEditSeq = Math.max(work.lastCodeEditSeq, lastUnreadSeq);
  if (lastTest?.verdict === "fail") return { verdict: "objection", why: `${SAYS}, but the last test run failed.` };
  if (lastTest?.verdict === "pass" && lastTest.seq >= lastCodeEditSeq)
    return { verdict: "met", why: `${SAYS}, and they did.` };
  if (edits === 0 && unread === 0) return undefined;
  const unreadLast = lastUnreadSeq === lastCodeEditSeq;
  const why =
    lastTest === undefined
      ? `${SAYS}, but no test run was seen.`
      : lastTest.seq < lastCodeEditSeq
        ? `${SAYS}, but they did not run after ${unreadLast ? "a call that could not be read" : "the last edit"}.`
        : `${SAYS}, but the last test run shows no result.`;
  if (lastTrySeq >= lastCodeEditSeq) return { verdict: "doubt", why };
  return {
    verdict: sendBack ? "veto" : "objection",
    why,
    text: "You say that the tests pass, and they did not run after your last change. Run the tests, then finish.",
  };
}
