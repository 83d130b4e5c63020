/** The gates that a config can name. */
export const gateNames = [
  "tests-fresh",
  "tests-kept",
  "claims-true",
  "todos-done",
  "diff-not-empty",
  "checks-kept",
  "committed",
  "pushed",
  "pull-request-open",
  "ci-green",
] as const;

/** The name of a gate that a config can name. */
export type GateName = (typeof gateNames)[number];
