/** An error stops a run or makes a declared part impossible; a warning is legal but probably not meant. */
const SEVERITIES = {
  /** A value has another type than its field, as data from a file may. */
  WRONG_TYPE: "error",
  UNKNOWN_FIELD: "warning",
  EMPTY_NAME: "error",
  NO_PHASES: "error",
  UNKNOWN_INITIAL: "error",
  UNKNOWN_TARGET: "error",
  /** A phase named in `required` or `inferred` that the graph lacks. */
  UNKNOWN_PHASE: "error",
  UNKNOWN_ACTOR: "error",
  SELF_EDGE: "warning",
  DUPLICATE_EDGE: "warning",
  UNREACHABLE_PHASE: "error",
  /** A phase without a way out in which a run may not end either. */
  DEAD_END: "error",
  NO_WAY_TO_FINAL: "error",
  NO_FINAL_PHASE: "warning",
  REQUIRED_IMPOSSIBLE: "error",
  REQUIRED_WITHOUT_EFFECT: "warning",
  AMBIGUOUS_END: "warning",
  INFERRED_DENIED: "warning",
  BAD_SHARE: "error",
  SHARES_ABOVE_ONE: "error",
  NOT_POSITIVE: "error",
} as const;

/** The kinds of issues of a graph. */
export type GraphIssueCode = keyof typeof SEVERITIES;

/** One thing that is wrong with a graph, and where. */
export interface GraphIssue {
  readonly code: GraphIssueCode;
  readonly severity: "error" | "warning";
  readonly path: string;
  readonly message: string;
}

/** Notes an issue. */
export type Report = (code: GraphIssueCode, path: string, message: string) => void;

/** Collects issues in the order they are reported. */
export function collectIssues(): { readonly issues: readonly GraphIssue[]; readonly report: Report } {
  const issues: GraphIssue[] = [];
  return { issues, report: (code, path, message) => issues.push({ code, severity: SEVERITIES[code], path, message }) };
}

/** Issues as text for people, errors first. */
export function renderGraphIssues(issues: readonly GraphIssue[]): string {
  const of = (wanted: GraphIssue["severity"]): readonly GraphIssue[] =>
    issues.filter(({ severity }) => severity === wanted);
  const [errors, warnings] = [of("error"), of("warning")];
  if (issues.length === 0) return "The graph has no issues.";
  const lines = [...errors, ...warnings].map(
    ({ severity, path, message, code }) => `${severity} at ${path}: ${message} (${code})`,
  );
  return [
    `The graph has ${counted(errors.length, "error")} and ${counted(warnings.length, "warning")}.`,
    ...lines,
  ].join("\n");
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? "" : "s"}`;
}
