import type { EventOf, GateAnswer, Policy } from "@phasekit/core";
import { type Delivery, lastChange } from "@phasekit/core/account";
import { tableOf } from "@phasekit/core/adapter";
import type { WorkLog } from "../work-log.ts";
import { readClaims } from "./read-claims.ts";
import { workGate } from "./work-gate.ts";

/** Delivery, with the last change it has to come after. */
interface DeliveryFacts extends Readonly<Delivery> {
  readonly lastEditSeq: number;
  readonly lastUnreadSeq: number;
}

function factsOf({ work, delivery }: Readonly<WorkLog>): DeliveryFacts {
  return { ...delivery, lastEditSeq: lastChange(work)?.seq ?? 0, lastUnreadSeq: work.lastUnreadSeq };
}

/** Options for the delivery gates. All optional. */
export interface DeliveryGateOptions {
  /** The name of the gate. @default the name of its function in kebab case */
  readonly gate?: string;
  /** Send the agent back in mode `gate`. Otherwise the gate only objects. @default true */
  readonly sendBack?: boolean;
}

interface Step {
  readonly name: string;
  readonly met: string;
  readonly unmet: string;
  readonly text: string;
  /** Where in the log the step was last taken; it has to come after `since`. */
  readonly at: (log: DeliveryFacts) => number;
  readonly since: (log: DeliveryFacts) => number;
}

/** A gate for one step of delivery. A step that was never seen, in a run that shows no git, cannot be judged here. */
function deliveryGate(step: Step, { gate = step.name, sendBack = true }: DeliveryGateOptions): Policy {
  return workGate(gate, {
    version: "4",
    check: (given, _run, event): GateAnswer | undefined => {
      const log = factsOf(given);
      const { lastEditSeq, lastUnreadSeq } = log;
      const at = step.at(log);
      if (lastEditSeq === 0 && at === 0)
        return lastUnreadSeq === 0
          ? undefined
          : {
              verdict: "unavailable",
              why: "Not checked: a call could not be read, so it is not known whether anything was changed.",
            };
      if (at > 0 && at >= step.since(log))
        return at >= step.since({ ...log, lastEditSeq: Math.max(lastEditSeq, lastUnreadSeq) })
          ? { verdict: "met", why: step.met }
          : { verdict: "doubt", why: `${step.met} ${CHANGED_LATER}` };
      if (!log.usesGit && !log.observed && !claims(event, step.name))
        return {
          verdict: "unavailable",
          why: `Not checked: no git command was seen, and the host reports no ${NOUNS[step.name] ?? step.name}.`,
        };
      return { verdict: sendBack ? "veto" : "objection", why: step.unmet, text: step.text };
    },
  });
}

/** True if the agent says that a step was done: then a step that cannot be seen does not pass. */
function claims({ text = "" }: EventOf<"finish.requested">, step: string): boolean {
  return readClaims(text).some(({ claim }) => claim === step);
}

const CHANGED_LATER = "After that, a call could not be read, and it may have changed something.";

const NOUNS: Readonly<Record<string, string>> = /* @__PURE__ */ tableOf({
  committed: "commit",
  pushed: "push",
  "pull-request-open": "pull request",
});

/**
 * A gate: every change is committed. Reads `git commit` in the calls, `workspace.observed`, or a `check.finished` named
 * `commit` from the host.
 *
 * @example
 * createRun({ interpret: [reading(), deliveryInterpreter()], policies: [committed()] })
 */
export function committed(options: DeliveryGateOptions = {}): Policy {
  return deliveryGate(
    {
      name: "committed",
      met: "The changes are committed.",
      unmet: "There are changes after the last commit.",
      text: "Commit your changes before you finish.",
      at: ({ committedSeq }) => committedSeq,
      since: ({ lastEditSeq }) => lastEditSeq,
    },
    options,
  );
}

/** A gate: the commits are pushed. Reads `git push`, or a `check.finished` named `push` from the host. */
export function pushed(options: DeliveryGateOptions = {}): Policy {
  return deliveryGate(
    {
      name: "pushed",
      met: "The changes are pushed.",
      unmet: "There are changes that were not pushed.",
      text: "Push your commits before you finish.",
      at: ({ pushedSeq }) => pushedSeq,
      since: ({ lastEditSeq, committedSeq }) => Math.max(lastEditSeq, committedSeq),
    },
    options,
  );
}

/** A gate: a pull request is open. Reads `gh pr create` and its like, or a `check.finished` named `pull-request`. */
export function pullRequestOpen(options: DeliveryGateOptions = {}): Policy {
  return deliveryGate(
    {
      name: "pull-request-open",
      met: "A pull request is open.",
      unmet: "No pull request was opened.",
      text: "Open a pull request before you finish.",
      at: ({ pullRequestSeq }) => pullRequestSeq,
      since: () => 0,
    },
    options,
  );
}

/**
 * A gate: CI is green for the last change. Reads `gh pr checks` and `gh run watch`, or a `check.finished` named `ci`
 * from the host. Without either it is unavailable, and the evidence says so.
 */
export function ciGreen({ gate = "ci-green", sendBack = true }: DeliveryGateOptions = {}): Policy {
  const unmet = sendBack ? "veto" : "objection";
  return workGate(gate, {
    version: "4",
    check: (given, _run, event): GateAnswer | undefined => {
      const { ci, lastEditSeq, lastUnreadSeq } = factsOf(given);
      if (lastEditSeq === 0 && lastUnreadSeq === 0 && ci === undefined) return undefined;
      if (ci?.verdict !== "fail" && ci?.verdict !== "pass" && claims(event, "ci-green"))
        return {
          verdict: unmet,
          why: "The agent says that CI is green, and no result was seen.",
          text: "You say that CI is green, and no result was seen. Look at it, or say that you could not.",
        };
      if (ci === undefined)
        return { verdict: "unavailable", why: "CI was not checked: no result was seen or reported." };
      if (ci.verdict === "fail")
        return { verdict: unmet, why: "CI is red.", text: "CI is red. Fix it before you finish." };
      if (ci.verdict === "unknown") return { verdict: "unavailable", why: "CI was asked, but shows no result." };
      if (ci.seq < lastEditSeq)
        return {
          verdict: unmet,
          why: "CI is green for an earlier change only.",
          text: "Push the last change and wait for CI.",
        };
      return ci.seq < lastUnreadSeq
        ? { verdict: "concerns", why: `CI is green. ${CHANGED_LATER}` }
        : { verdict: "pass", why: "CI is green." };
    },
  });
}

/**
 * A gate: no setting of lint, type checks or CI was loosened, and no hook was skipped with `--no-verify`. It objects;
 * the agent is not sent back unless `sendBack` says so, because the task may ask for the change.
 */
export function checksKept({ gate = "checks-kept", sendBack = false }: DeliveryGateOptions = {}): Policy {
  return workGate(gate, {
    version: "4",
    check: (given): GateAnswer | undefined => {
      const { loosened, skippedHooks, lastEditSeq, lastUnreadSeq } = factsOf(given);
      const isClean = loosened.length === 0 && !skippedHooks;
      if (isClean && lastUnreadSeq > 0)
        return { verdict: "doubt", why: "A call could not be read, and it may have loosened a check." };
      if (isClean) return lastEditSeq === 0 ? undefined : { verdict: "met", why: "No check was loosened." };
      const found = [...loosened.slice(0, 5), ...(skippedHooks ? ["hooks were skipped with --no-verify"] : [])];
      return {
        verdict: sendBack ? "veto" : "objection",
        why: `Checks were loosened: ${found.join("; ")}.`,
        text: `Checks were loosened: ${found.join("; ")}. Restore them and fix the code, or say why the change is needed.`,
        evidence: found,
      };
    },
  });
}
