/** An error or a warning about a contract file. */
export interface ContractIssue {
  readonly severity: "error" | "warning";
  readonly code:
    "ENCODING" | "TOO_LARGE" | "FRONT_MATTER" | "YAML" | "NOT_PLAIN" | "FIELD" | "SET" | "UNKNOWN_NAME" | "UNREADABLE";
  readonly message: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Renders issues, one per line, as `file:line:column`, which editors and terminals make clickable. */
export function renderContractIssues(issues: readonly ContractIssue[]): string {
  return issues
    .map(({ file, line, column, severity, message }) => `${file}:${line}:${column} ${severity}: ${message}`)
    .join("\n");
}

/** True if there is an error, not only warnings. */
export function hasErrors(issues: readonly ContractIssue[]): boolean {
  return issues.some(({ severity }) => severity === "error");
}
