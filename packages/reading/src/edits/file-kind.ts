import { oneOf } from "../patterns.ts";

/** True if a file holds tests of the project, by the customs of the common languages. */
export function isTestFile(path: string): boolean {
  return MAY_BE_TEST.test(path) && (TEST_FOLDER.test(path) || TEST_NAME.test(path.slice(path.lastIndexOf("/") + 1)));
}

// A part of every such name that most others lack.
const MAY_BE_TEST = /test|spec|e2e|cypress/i;
const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|cypress|testing)\//i;
const TEST_NAME = /^(?:test_[^]*|[^]*(?:[._-](?:test|spec|tests)|Tests?)|conftest)\.[a-z]+$/;

const SCRATCH_NAME = new RegExp(
  `^${oneOf(
    "reproduc\\w* repro debug scratch tmp temp poc demo sandbox playground experiment try check verify validate " +
      "confirm compare investigate sanity edge_?cases? minimal example issue bug " +
      `${oneOf("simple quick final comprehensive manual my bug fix issue edge")}_test`,
  )}(?:[_.-]|\\d|$)`,
  "i",
);
const SCRATCH_TEST = new RegExp(
  `^test_?${oneOf(
    "fix issue bug repro script my new manual quick simple debug edge change patch local final basic all",
  )}\\w*\\.`,
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
 * Writing
 * and running it is verification, not part of the change.
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
