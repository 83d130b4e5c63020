import { isTestFile } from "./file-kind.ts";
import type { PatchedFile } from "./patch-files.ts";

const CASES = /\b(?:it|test|describe)(?:\.\w+)*\s*\(|^\s*(?:async\s+)?def test_|#\[(?:tokio::)?test\]|^func Test|@Test\b|^\s*(?:it|specify|scenario) ["']/gm;
const CHECKS = /\b(?:expect|assert\w*|should|t\.(?:is|deepEqual|true|false|Error|Fatal)\w*|verify)\b/g;
const SKIPS = /\b(?:it|test|describe)\.(?:skip|todo|only|fixme|fails)\b|\bx(?:it|test|describe)\s*\(|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.(?:skip|expectedFailure)|Disabled|Ignore)|\bpytest\.skip\(|\bt\.Skip|#\[ignore\b|\bmarkTestSkipped\b/g;

/** What an edit takes away from tests, in words; empty when it takes nothing. */
export function findWeakenedTests(files: readonly PatchedFile[]): readonly string[] {
  return files.filter(({ path }) => isTestFile(path)).flatMap(({ path, how, removed, added }) => {
    if (how === "deleted") return [`${path}: deleted`];
    if (how === "added") return [];
    const found: string[] = [];
    const kept = removed === "" ? "" : withoutComments(added);
    const fewer = (pattern: RegExp): boolean => isMore(removed, kept, pattern);
    if (isMore(added, removed, SKIPS)) found.push(`${path}: a test is skipped`);
    if (fewer(CASES)) found.push(`${path}: a test is removed`);
    else if (fewer(CHECKS)) found.push(`${path}: an assertion is removed`);
    return found;
  });
}

/** Whether one text has more of something than another. */
function isMore(one: string, other: string, pattern: RegExp): boolean {
  const count = one.match(pattern)?.length ?? 0;
  return count > 0 && count > (other.match(pattern)?.length ?? 0);
}

/** A test that is commented out is gone. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(?:\/\/|#(?!\[)).*$/gm, "").replace(/\/\*[\s\S]*?\*\//g, "");
}
