import { isDocumentFile } from "./document-file.ts";
import { isTestFile } from "./test-file.ts";

/** The kind of a file of the project. Code, tests and configuration can break; documents and data cannot be run. */
export type FileKind = "code" | "tests" | "documents" | "configuration" | "data";

const CONFIGURATION = new RegExp(
  [
    "\\.(?:json[c5]?|ya?ml|toml|ini|cfg|conf|properties|plist|env|lock|editorconfig)$",
    // Dotfiles: .gitignore, .npmrc, .env.local
    "(?:^|/)\\.[\\w.-]+$",
    "(?:^|/)(?:\\.github|\\.vscode|\\.idea|\\.husky|\\.circleci|\\.devcontainer)/",
    "(?:^|/)(?:go\\.(?:mod|sum|work)|Gemfile|Podfile|Pipfile|Procfile|CODEOWNERS|requirements[\\w-]*\\.txt)$",
  ].join("|"),
  "i",
);
const DATA = new RegExp(
  [
    "\\.(?:csv|tsv|jsonl|ndjson|parquet|sqlite3?|db|png|jpe?g|gif|svg|webp|ico|pdf|woff2?|ttf|mp[34]|wav|zip|gz|tgz)$",
    "(?:^|/)(?:testdata|fixtures|__fixtures__|__snapshots__|snapshots|data)/.*\\.(?:json|ya?ml|txt|md|xml|snap)$",
  ].join("|"),
  "i",
);

/** Returns the kind of a file by its path, with `/` or `\\`. In doubt it is code. */
export function kindOfFile(path: string): FileKind {
  const file = path.includes("\\") ? path.replaceAll("\\", "/") : path;
  if (isDocumentFile(file)) return "documents";
  if (DATA.test(file)) return "data";
  if (isTestFile(file)) return "tests";
  return CONFIGURATION.test(file) ? "configuration" : "code";
}

const SCRATCH_NAME = new RegExp(
  "^(?:reproduc\\w*|repro|debug|scratch|tmp|temp|poc|demo|sandbox|playground|experiment|try|check|verify|validate|" +
    "confirm|compare|investigate|sanity|edge_?cases?|minimal|example|issue|bug|" +
    "(?:simple|quick|final|comprehensive|manual|my|bug|fix|issue|edge)_test)(?:[_.-]|\\d|$)",
  "i",
);
const SCRATCH_TEST = new RegExp(
  "^test_?(?:fix|issue|bug|repro|script|my|new|manual|quick|simple|debug|edge|change|patch|local|final|basic|all)" +
    "\\w*\\.",
  "i",
);
const CODE = /\.(?:py|js|mjs|cjs|ts|tsx|mts|rb|php|go|rs|java|kt|c|cc|cpp|sh|pl|lua|pony|sql|ipynb)$/i;

/** True if a file holds code. */
export function isSourceFile(path: string): boolean {
  return CODE.test(path);
}

const TEMPORARY = /^(?:\/private)?(?:\/var)?\/tmp\/(?!(?:[^/]+\/)*(?:src|lib|tests?|specs?|packages|__tests__|app)\/)/;
const RIGHT_IN_IT = /\/tmp\/[^/]+$/;
const REPRODUCTION = /(?:^|[_-])[Rr]epro(?:duce|duction)?(?:[_.-]|$)|^Repro(?:duce|duction)?(?=[A-Z\d])/;

/**
 * True if a file is one the agent writes only to try something out: a reproduction, a check, anything in `/tmp`.
 * Writing and running it is verification, not part of the change.
 */
export function isScratchFile(path: string, { created }: { readonly created: boolean }): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // Whatever is written there but notes and patches; in a folder of it, what was there before may be the work.
  if (TEMPORARY.test(path) && (created || RIGHT_IN_IT.test(path)))
    return !/tmp\/[^/]+\.(?:md|txt|rst)$|\.(?:patch|diff)$/.test(path);
  if (!CODE.test(name)) return false;
  if (REPRODUCTION.test(name)) return true;
  // A file called debug.py that was there before is the project's own.
  if (!created) return false;
  // Inside a source folder such a name belongs to the project.
  if (
    /^tests?(?:_\w+|\d*)\.\w+$/.test(name) &&
    path.split("/").filter(Boolean).length <= (path.startsWith("/") ? 3 : 1)
  )
    return true;
  return (
    !/(?:^|\/)(?:src|lib|tests?|specs?|packages|__tests__|app)\//.test(path) &&
    (SCRATCH_NAME.test(name) || SCRATCH_TEST.test(name))
  );
}
