import type { Activity } from "@phasekit/core";
import { asksForHelp, checking, type CommandReading, isPath, operandsOf, reading, rewriting } from "./command-reading.ts";

const REWRITERS = new Set("prettier black isort yapf biome dprint eslint stylelint rubocop djlint sqlfluff autopep8 ruff standard xo".split(" "));
const ALWAYS_REWRITE = new Set(["black", "isort", "yapf"]);
const REWRITES = /^(?:--write|-w|--fix|-i|--in-place|-A|-a|--autocorrect(?:-all)?|--apply|fmt|fix)$/;
const LOOKS = /^(?:--check|--diff|--check-only|-c|--version)$/;

/** Runners, linters and compilers that are told by their name. */
export function classifyCheck(words: readonly string[], { activity, name }: { readonly activity: Activity; readonly name: string }): CommandReading {
  if (asksForHelp(words)) return reading("read");
  if (activity === "build") {
    if (name !== "tsc" && name !== "tsgo") return reading("build");
    return checking(words.some((word) => /^--?noEmit$/i.test(word)) ? "lint" : "build", "tsc");
  }
  const files = operandsOf(words).filter(isPath);
  if (activity === "test") return /^--(?:collect-only|list-?tests?|listTests|co|show-config|fixtures)$/.test(words.find((word) => word.startsWith("--")) ?? "") ? reading("read") : checking("test", name, files);
  const rewrites = REWRITERS.has(name) && (words.some((word) => REWRITES.test(word)) || (ALWAYS_REWRITE.has(name) && !words.some((word) => LOOKS.test(word))));
  return rewrites ? rewriting(name, files) : checking("lint", name, files);
}
