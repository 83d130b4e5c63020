import type { Activity } from "@phasekit/core";
import { taskActivity } from "./classify-task.ts";
import {
  asksForHelp,
  checking,
  type CommandReading,
  hasWord,
  isPath,
  operandsOf,
  reading,
  rewriting,
} from "./command-reading.ts";
import { wordSet } from "../word-table.ts";

const REWRITERS = wordSet(
  "prettier black isort yapf biome dprint eslint oxlint stylelint rubocop djlint sqlfluff autopep8 ruff standard xo " +
    "markdownlint markdownlint-cli2 golangci-lint swiftlint ktlint",
);
const FORMATTERS = wordSet("prettier black isort yapf dprint autopep8");
const TYPE_CHECKERS = wordSet("mypy pyright basedpyright vue-tsc svelte-check dmypy pyre flow sorbet");
const ALWAYS_REWRITE = new Set(["black", "isort", "yapf"]);
const REWRITES = /^(?:--write|-w|--fix|-i|--in-place|-A|-a|--autocorrect(?:-all)?|--apply|fmt|fix)$/;
const LOOKS = /^(?:--check|--diff|--check-only|-c|--version)$/;

const TEST_TARGET = /^(?:test|tests|check|runtest|run_tests)$/i;
const ONLY_LISTS =
  /^--(?:collect-only|co|list-?tests?|listTests|list|show-?only|show-config|fixtures|markers|setup-plan)$/;

/** `tox -e lint`, `nox -s format`: environments that only look at the code. */
function isLintOnly(words: readonly string[], name: string): boolean {
  if (name !== "tox" && name !== "nox") return false;
  const at = words.findIndex((word) => /^(?:-e|-s|--session|--sessions)$/.test(word));
  return at !== -1 && (words[at + 1] ?? "").split(",").every((environment) => taskActivity(environment) === "lint");
}

/** Reads runners, linters and compilers by their name. */
export function classifyCheck(
  words: readonly string[],
  { activity, name }: { readonly activity: Activity; readonly name: string },
): CommandReading {
  // To a runner `-v` is mostly "say more".
  if (asksForHelp(words) && !(activity === "test" && /^-v$/i.test(words[1] ?? ""))) return reading("read");
  if (activity === "build") {
    if (name !== "tsc" && name !== "tsgo")
      return hasWord(words, TEST_TARGET) ? checking("test", name === "cmake" ? "ctest" : undefined) : reading("build");
    return hasWord(words, /^--?noEmit$/i)
      ? { ...checking("lint", "tsc"), kind: "types" }
      : { ...checking("build", "tsc"), kind: "types" };
  }
  const files = operandsOf(words).filter(isPath);
  if (activity === "test")
    return hasWord(words, ONLY_LISTS)
      ? reading("read")
      : isLintOnly(words, name)
        ? checking("lint", undefined)
        : checking("test", name, files);
  const rewrites =
    REWRITERS.has(name) && (hasWord(words, REWRITES) || (ALWAYS_REWRITE.has(name) && !hasWord(words, LOOKS)));
  if (rewrites) return rewriting(name, files, { checks: !FORMATTERS.has(name) });
  return TYPE_CHECKERS.has(name) ? { ...checking("lint", name, files), kind: "types" } : checking("lint", name, files);
}
