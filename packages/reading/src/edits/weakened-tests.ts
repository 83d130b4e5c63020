import { isTestFile } from "@phasekit/core/account";
import type { ChangedFile } from "./patch-files.ts";
import { anyOf } from "../patterns.ts";

const CASES = anyOf(
  "gm",
  /\b(?:it|test|describe)(?:\.\w{1,32}){0,4} ?\(/,
  /^[ \t]*(?:async +)?def test_/,
  /#\[(?:tokio::)?test\]/,
  /^func Test/,
  /@Test\b/,
  /^[ \t]*(?:it|specify|scenario) ["']/,
);
const CHECKS = /\b(?:expect|assert\w*|should|t\.(?:is|deepEqual|true|false|Error|Fatal)\w*|verify)\b/g;
const SKIPS = anyOf(
  "g",
  /\b(?:it|test|describe)\.(?:skip|todo|only|fixme|fails)\b/,
  /\bx(?:it|test|describe)\s*\(/,
  /@(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|Disabled|Ignore)/,
  /\bpytest\.skip\(/,
  /\bt\.Skip/,
  /#\[ignore\b/,
  /\bmarkTestSkipped\b/,
);

/** Lists what an edit takes away from tests, in words; empty when it takes nothing. */
export function findWeakenedTests(files: readonly ChangedFile[]): readonly string[] {
  const found: string[] = [];
  for (const { path, how, lines } of files) {
    if (how !== "changed" || !isTestFile(path)) continue;
    found.push(...weakenedIn(lines("-"), lines("+")).map((what) => `${path}: ${what}`));
  }
  return found;
}

function weakenedIn(removed: string, added: string): readonly string[] {
  const found: string[] = [];
  if (isMore(added, removed, SKIPS)) found.push("a test is skipped");
  if (removed === "") return found;
  const kept = withoutComments(added);
  if (isMore(removed, kept, CASES)) found.push("a test is removed");
  else if (isMore(removed, kept, CHECKS)) found.push("an assertion is removed");
  return found;
}

/** True if one text has more of something than another. */
function isMore(one: string, other: string, pattern: RegExp): boolean {
  const count = one.match(pattern)?.length ?? 0;
  return count > 0 && count > (other.match(pattern)?.length ?? 0);
}

/** A test that is commented out is gone. */
function withoutComments(text: string): string {
  const lines = text.replace(/^[ \t]*(?:\/\/|#(?!\[)).*$/gm, "");
  let kept = "";
  let from = 0;
  for (let open = lines.indexOf("/*"); open !== -1; open = lines.indexOf("/*", from)) {
    const close = lines.indexOf("*/", open);
    if (close === -1) break;
    kept += lines.slice(from, open);
    from = close + 2;
  }
  return kept + lines.slice(from);
}
