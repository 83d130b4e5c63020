import type { ChangedFile } from "../edits/patch-files.ts";

/** A setting that loosens a check, in the files it matters in. */
interface CheckChange {
  readonly files: readonly RegExp[];
  readonly text: RegExp;
  readonly what: string;
}

const CI: readonly RegExp[] = [
  /(?:^|\/)(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|azure-pipelines\.yml|Jenkinsfile)$/,
  /(?:^|\/)(?:\.circleci\/config\.yml|\.travis\.yml|\.husky\/[^/]+|\.pre-commit-config\.yaml|lefthook\.yml)$/,
];
const LINT: readonly RegExp[] = [
  /(?:^|\/)(?:\.?eslint(?:rc)?(?:\.config)?\.[\w.]+|\.eslintrc|biome\.jsonc?|\.oxlintrc\.json|ruff\.toml|\.flake8)$/,
  /(?:^|\/)(?:\.pylintrc|mypy\.ini|\.golangci\.ya?ml|\.rubocop\.yml|clippy\.toml)$/,
];
const TYPES: readonly RegExp[] = [/(?:^|\/)tsconfig(?:\.[\w-]+)?\.json$/];

/** The changes that loosen a check, as data. A pattern counts only if an edit adds more of it than it takes away. */
const LOOSENINGS: readonly CheckChange[] = [
  { files: CI, text: /continue-on-error:\s*true|allow_failure:\s*true/g, what: "failures are ignored" },
  { files: CI, text: /\|\|\s*(?:true\b|:|exit 0)/g, what: "an exit code is ignored" },
  { files: CI, text: /^\s*if:\s*(?:false|\$\{\{\s*false\s*\}\})/gm, what: "a step is switched off" },
  { files: LINT, text: /["']?[\w@/-]+["']?\s*:\s*\[?\s*(?:["']off["']|0\b)/g, what: "a rule is switched off" },
  {
    files: LINT,
    text: /\bignore(?:s|Patterns)?\b|\bper-file-ignores\b|\bexclude\b/g,
    what: "files or rules are ignored",
  },
  {
    files: TYPES,
    text: /"(?:strict|noImplicitAny|strictNullChecks|noUncheckedIndexedAccess)"\s*:\s*false/g,
    what: "strict types are switched off",
  },
];

const MAX_FOUND = 16;

/** Returns the settings of lint, type checks and CI that an edit loosens; empty if it loosens none. */
export function findLoosenedChecks(files: readonly ChangedFile[]): readonly string[] {
  const found: string[] = [];
  for (const { path, how, lines } of files) {
    const name = path.replaceAll("\\", "/");
    if (!LOOSENINGS.some(({ files: known }) => isAmong(known, name))) continue;
    if (how === "deleted") found.push(`${path}: deleted`);
    else if (how !== "added") found.push(...loosenedIn(name, lines).map((what) => `${path}: ${what}`));
  }
  return found.slice(0, MAX_FOUND);
}

function loosenedIn(name: string, lines: ChangedFile["lines"]): readonly string[] {
  const [removed, added] = [lines("-"), lines("+")];
  return LOOSENINGS.filter(
    ({ files, text }) => isAmong(files, name) && countOf(added, text) > countOf(removed, text),
  ).map(({ what }) => what);
}

const isAmong = (files: readonly RegExp[], name: string): boolean => files.some((known) => known.test(name));

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;
