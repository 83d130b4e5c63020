import type { RunEvent } from "../events/run-event.ts";
import { defined } from "../text/defined.ts";
import type { Reason } from "../events/reason-codes.ts";

/** How well a finished run is backed by evidence. */
export type EvidenceGrade =
  /** Trusted evidence shows that the work is right. */
  | "proven"
  /** Something speaks for the work, but leaves a doubt. */
  | "supported"
  /** The work was only looked at: by a linter, a type checker, a build or a parser. */
  | "weak"
  /** Nothing shows that the work is right. */
  | "claimed"
  /** Nothing was changed that could be tested. */
  | "not-needed";

/** The verdict of a gate that does not object to a finish. */
export type VouchVerdict =
  /** Trusted evidence: the run is proven, if no other gate lowers its grade. */
  | "pass"
  /** Evidence that leaves a doubt: the run is at most supported. */
  | "concerns"
  /** Evidence that shows little: the run is at most weak, if no other gate shows more. */
  | "weak"
  /** A condition holds that says nothing about the work. It does not change the grade. */
  | "met"
  /** A condition holds with a doubt: lowers "proven" to "supported", and supports nothing by itself. */
  | "doubt"
  /** There is nothing to check. */
  | "not-needed"
  /** The check could not run here. It neither passes nor fails, and the evidence says so. */
  | "unavailable";

export const vouchVerdicts = ["pass", "concerns", "weak", "met", "doubt", "not-needed", "unavailable"] as const;

/** One gate's answer at the last finish. */
export interface GateFinding {
  readonly gate: string;
  readonly verdict: VouchVerdict | "fail";
  /** One sentence for people. */
  readonly why?: string;
  readonly evidence?: unknown;
}

/** The evidence behind the end of a run: its grade, one or two sentences that say why, and every gate's answer. */
export interface Evidence {
  readonly grade: EvidenceGrade;
  readonly why: string;
  readonly gates: readonly GateFinding[];
}

const MAX_WHY = 600;

/** Grades the answers of all gates at a finish. One objection makes the run claimed, one doubt at most supported. */
export function gradeEvidence(gates: readonly GateFinding[]): Evidence {
  const of = (...verdicts: readonly GateFinding["verdict"][]): readonly GateFinding[] =>
    gates.filter(({ verdict }) => verdicts.includes(verdict));
  const unavailable = of("unavailable");
  const answer = (grade: EvidenceGrade, found: readonly GateFinding[]): Evidence => ({
    grade,
    why: sentences([...found, ...unavailable]),
    gates,
  });
  const unmet = of("fail");
  if (unmet.length > 0) return answer("claimed", unmet);
  const shown = of("pass", "concerns");
  const doubts = of("concerns", "weak", "doubt");
  if (shown.length > 0) return doubts.length > 0 ? answer("supported", doubts) : answer("proven", shown);
  const weak = of("weak");
  if (weak.length > 0) return answer("weak", weak);
  const unneeded = of("not-needed");
  if (unneeded.length > 0) return answer("not-needed", unneeded);
  return { grade: "claimed", why: `No gate shows that the work is right. ${sentences(unavailable)}`.trimEnd(), gates };
}

/** The evidence of a run that ended for this reason. Gates are asked only when the agent says it is done. */
export function evidenceAtEnd(reason: Reason, gates: readonly GateFinding[]): Evidence {
  return reason === "done" || reason === "done_unverified"
    ? gradeEvidence(gates)
    : { grade: "claimed", why: `The run ended as ${reason} and not as done, so its work is not verified.`, gates };
}

/**
 * The finding of a gate in its event, or the condition a run ended without; `undefined` for other events and for gates
 * that were waived.
 */
export function findingOf(event: RunEvent): GateFinding | undefined {
  if (event.type === "run.finished") {
    const { predicate: gate } = event;
    return gate === undefined ? undefined : { gate, verdict: "fail", why: `The condition "${gate}" was not met.` };
  }
  if (event.type === "finish.vouched") {
    const { gate, verdict, why, evidence } = event;
    return defined({ gate, verdict, why, evidence });
  }
  if (event.type !== "finish.vetoed" || event.held === "waived") return undefined;
  const { gate, text, why = text, evidence } = event;
  return defined({ gate, verdict: "fail" as const, why, evidence });
}

/** True for the grades that count as verified. */
export function isVerified({ grade }: Pick<Evidence, "grade">): boolean {
  return grade === "proven" || grade === "supported";
}

function sentences(found: readonly GateFinding[]): string {
  const texts = found.map(({ gate, verdict, why }) => why ?? `Gate "${gate}" answered "${verdict}".`);
  const text = [...new Set(texts)].join(" ");
  return text.length > MAX_WHY ? `${text.slice(0, MAX_WHY - 1)}…` : text;
}
