/** True if a file holds tests of the project, by the customs of the common languages. */
export function isTestFile(path: string): boolean {
  return MAY_BE_TEST.test(path) && (TEST_FOLDER.test(path) || TEST_NAME.test(path.slice(path.lastIndexOf("/") + 1)));
}

// A part of every such name that most others lack.
const MAY_BE_TEST = /test|spec|e2e|cypress/i;
const TEST_FOLDER = /(?:^|\/)(?:tests?|specs?|__tests__|e2e|cypress|testing)\//i;
const TEST_NAME = /^(?:test_[^]*|[^]*(?:[._-](?:test|spec|tests)|Tests?)|conftest)\.[a-z]+$/;
