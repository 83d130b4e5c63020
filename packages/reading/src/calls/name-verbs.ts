import type { Activity } from "@phasekit/core";
import { kindsByWord, wordSet } from "../word-table.ts";

/** Verbs in names of tools, by what such a tool does. */
const VERBS = kindsByWord({
  read:
    "read view show get fetch describe inspect open extract retrieve lookup analyze analyse explain examine review " +
    "check collect gather print display cat load scroll goto navigate screenshot snapshot resolve hover preview",
  search: "search find list query grep glob locate localize browse",
  run: "run running execute executing exec rerun invoke",
  edit: "write edit replace insert append patch apply overwrite modify rewrite",
  file: "create delete remove rename move copy update add undo revert",
  build: "build compile",
  lint: "lint typecheck format",
  wait: "wait sleep",
  ask: "ask",
});

/** Objects that are code or files. Writing anything else, such as an order or a mail, is not an edit of the work. */
const CODE = wordSet(
  "file files code codebase fix patch diff edit change changes line lines range method function class text content " +
    "source script snippet notebook cell test tests folder directory template",
);
const TESTS = wordSet("test tests testcase testcases testsuite suite unittest pytest");
/** What editors and language servers find wrong in a file. */
const DIAGNOSTICS = wordSet("diagnostics lints");
/** Servers that drive a browser: whatever is done there, the work is looked at. */
const BROWSER = /browser|playwright|puppeteer|chrome|devtools/i;
const PLANS = wordSet("plan todo todos");
/** Words before a verb that is not the first word: `go_back_to_collect_info`, `validate_by_running_tests`. */
const LEADS = wordSet("to by and");
const MAX_NAME = 120;

/**
 * The activity of an unknown tool, by the plain verb in its name: `read_range`, `searchCode`, `run_tests`.
 * `undefined` if the name has no such verb, or the verb says too little.
 */
export function activityOfName(tool: string): Activity | undefined {
  if (tool.startsWith("mcp__") && BROWSER.test(tool.split("__", 2)[1] ?? "")) return "read";
  const words = wordsOf(tool);
  if (words.some((word) => DIAGNOSTICS.has(word))) return "lint";
  const at = words.findIndex((word, index) => VERBS.has(word) && isVerbAt(words, index));
  const kind = VERBS.get(words[at] ?? "");
  const objects = words.slice(at + 1);
  const names = (known: ReadonlySet<string>): boolean => objects.some((word) => known.has(word));
  switch (kind) {
    case "run":
      return names(TESTS) ? "test" : kind;
    case "edit":
    case "file":
      if (names(PLANS)) return "plan";
      return objects.length === 0 ? undefined : names(CODE) ? "edit" : undefined;
    default:
      return kind;
  }
}

/** The words of `read_range`, `readRange`, `read-range` and `mcp__server__read_range`, in lower case. */
function wordsOf(tool: string): readonly string[] {
  const name = tool.slice(0, MAX_NAME);
  return name
    .slice(name.lastIndexOf("__") + 1)
    .replace(/([a-z\d])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}

/** A verb comes first, after a word such as `to`, or behind the one object of `file_apply`; `search` anywhere. */
function isVerbAt(words: readonly string[], index: number): boolean {
  const before = words[index - 1] ?? "";
  return index === 0 || words[index] === "search" || LEADS.has(before) || (words.length === 2 && CODE.has(before));
}
