import type { Mark, MarkKind, Timeline } from "../../views/timeline.ts";

/** The rows of marks under the phases, and their names. */
const LANES: readonly (readonly [MarkKind, string])[] = [
  ["prompt", "prompts"],
  ["sub-agent", "sub-agents"],
  ["failed-call", "failed calls"],
  ["tests-fail", "tests failed"],
  ["tests-pass", "tests passed"],
  ["alert", "alerts"],
  ["nudge", "nudges"],
  ["refusal", "refused calls"],
  ["veto", "vetoes"],
  ["review", "reviews"],
  ["stop", "stops"],
];

/** A row of marks of one kind. */
export interface Lane {
  readonly kind: MarkKind;
  readonly name: string;
  readonly marks: readonly Mark[];
  /** True if Phasekit only would have acted, each time. */
  readonly idle: boolean;
}

/** Returns the rows that have marks. */
export function lanesOf({ marks }: Timeline): readonly Lane[] {
  return LANES.map(([kind, name]) => {
    const own = marks.filter((mark) => mark.kind === kind);
    return { kind, name, marks: own, idle: own.every(({ applied }) => applied === false) };
  }).filter(({ marks: own }) => own.length > 0);
}

/** Names the marks that are drawn as one. */
export function markText(marks: readonly Mark[], name: string): string {
  const [first] = marks;
  if (first === undefined) return "";
  const would = marks.every(({ applied }) => applied === false) ? ", not applied" : "";
  return marks.length === 1
    ? `${first.label}${would}, event ${String(first.seq)}`
    : `${String(marks.length)} ${name}${would}, from event ${String(first.seq)}`;
}

/** Explains the signs that the names of the rows do not explain. */
export function legendOf({ bars }: Timeline, lanes: readonly Lane[]): readonly string[] {
  const hasIdle = lanes.some(({ marks }) => marks.some(({ applied }) => applied === false));
  return [
    ...(bars.some(({ state }) => state === "failed") ? ["Red edge: the phase ended in failure."] : []),
    ...(bars.some(({ state }) => state === "open") ? ["Striped: the agent is here."] : []),
    ...(hasIdle ? ["Hollow: what Phasekit would have done in a stricter mode."] : []),
  ];
}
