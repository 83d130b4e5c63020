/**
 * Which packages a package may import; the one table of the arrows between them. A package that is not listed
 * imports core and no sibling. Folder names, without "packages/" and "adapters/".
 */
const exceptions: Readonly<Record<string, readonly string[] | "any">> = {
  core: [],
  coding: ["core", "reading", "tracker", "watchdog", "ledger"],
  "claude-agent": ["core", "hooks"],
  report: ["core", "ledger"],
  otel: ["core", "ledger"],
  postgres: ["core", "ledger", "contracts", "orchestrator"],
  cli: "any",
};

/** Sources that may use Node and touch the outside world; every other one runs in any JavaScript runtime. */
export const nodeSources: readonly string[] = [
  "packages/**/src/{node,sqlite,testing,bin}.ts",
  "packages/**/src/{node,sqlite}/**/*.ts",
  "packages/cli/src/**/*.ts",
  "packages/postgres/src/**/*.ts",
];

interface ImportPattern {
  readonly regex: string;
  readonly message: string;
}

/** Rules for every file of the repository. */
export const commonPatterns: readonly ImportPattern[] = [
  {
    regex: String.raw`^\.{1,2}/(?!.*\.(?:tsx?|json|css)$)`,
    message: "Relative imports name the file as it is on disk, with .ts or .tsx.",
  },
  {
    regex: "^@phasekit/[^/]+/(?:src|dist)(?:/|$)",
    message: "Import a package through the entries in its `exports`, never a file inside it.",
  },
];

export const portablePatterns: readonly ImportPattern[] = [
  {
    regex: "^node:",
    message: "Root entries run in any JavaScript runtime; Node built-ins belong behind ./node, ./sqlite or in cli.",
  },
];

const leaving: ImportPattern = {
  regex: String.raw`^\.\./.*/src/`,
  message: "Another package is imported by its name, not by a path.",
};

/** Rules for a package's `test` folder: end-to-end tests show that the packages fit together. */
export const testPatterns: readonly ImportPattern[] = [leaving];

/** The patterns a package's imports must not match. `folder` is its path from the root, such as "packages/core". */
export function patternsFor(folder: string): readonly ImportPattern[] {
  const name = folder.split("/").at(-1) ?? folder;
  const allowed = exceptions[name] ?? ["core"];
  if (allowed === "any") return [leaving];
  const arrow = {
    regex: `^@phasekit/(?!tooling/|(?:${[name, ...allowed].join("|")})(?:/|$))`,
    message:
      allowed.length === 0
        ? `${name} imports no other package (tooling/eslint/package-arrows.ts).`
        : `${name} may import ${allowed.join(", ")} and no other package (tooling/eslint/package-arrows.ts).`,
  };
  return [leaving, arrow];
}

/** Core has no dependency at all, so its sources name relative files only. */
export function dependencyPatternsFor(folder: string): readonly ImportPattern[] {
  return folder === "packages/core"
    ? [{ regex: "^[^.]", message: "core has no dependency: it runs anywhere and adds nothing to an install." }]
    : [];
}
