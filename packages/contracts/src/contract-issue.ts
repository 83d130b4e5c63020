/** Something wrong, or doubtful, in a contract file. */
export interface ContractIssue {
  readonly severity: "error" | "warning";
  readonly code: "ENCODING" | "TOO_LARGE" | "FRONT_MATTER" | "YAML" | "NOT_PLAIN" | "FIELD" | "SET" | "UNKNOWN_NAME" | "UNREADABLE";
  readonly message: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Issues for people, one per line, in the form editors and terminals make clickable. */
export function renderContractIssues(issues: readonly ContractIssue[]): string {
  return issues.map(({ file, line, column, severity, message }) => `${file}:${line}:${column} ${severity}: ${message}`).join("\n");
}

/** Whether there is nothing but warnings. */
export function hasErrors(issues: readonly ContractIssue[]): boolean {
  return issues.some(({ severity }) => severity === "error");
}
