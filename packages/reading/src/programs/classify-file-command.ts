import type { Activity } from "@phasekit/core";
import {
  administering,
  baseName,
  type CommandPlace,
  type CommandReading,
  hasWord,
  operandsOf,
  reading,
} from "./command-reading.ts";
import { FILTERS, MACHINE } from "./program-table.ts";
import { anyOf } from "../patterns.ts";

const PATTERN_FIRST = new Set(["grep", "egrep", "fgrep", "rg", "jq", "yq", "tr", "findstr"]);
const NEVER_FILES = new Set(["tr", "cut", "fold"]);

/** `cat`, `grep`, `ls`: what they look at. In a pipe, without a file of their own, they only pass on. */
export function classifyLook(
  words: readonly string[],
  { activity, name, place }: { readonly activity: Activity; readonly name: string; readonly place: CommandPlace },
): CommandReading {
  // Numbers belong to options: `head -n 20`, `grep -A 5`.
  const operands = operandsOf(words).filter((word) => !/^\+?\d+$/.test(word));
  const given =
    operands.length - (PATTERN_FIRST.has(name) && !words.includes("-f") && !words.includes("--files") ? 1 : 0);
  if ((place.piped || place.input !== undefined) && FILTERS.has(name) && (given <= 0 || NEVER_FILES.has(name)))
    return reading(undefined);
  return reading(activity, MACHINE.has(name) ? [] : operands);
}

/** `sed`, `awk`, `perl -ne`: they edit in place, read files, or only filter. */
export function classifyStreamEditor(
  words: readonly string[],
  { inPlace, piped }: { readonly inPlace: boolean; readonly piped: boolean },
): CommandReading {
  const scripted = hasWord(words, /^(?:-[ef]|--expression)$/);
  const files = operandsOf(words)
    .slice(scripted ? 0 : 1)
    .filter((word) => !/^[\d,$]+[pd]$/.test(word));
  if (inPlace) return reading("edit", files);
  return piped && files.length === 0 ? reading(undefined) : reading("read", files);
}

/** `find`, `fd`: a search, unless it deletes or runs something. */
export function classifyFind(
  words: readonly string[],
  classify: (inner: readonly string[]) => CommandReading,
): CommandReading {
  // It takes away what it finds: nothing of that is work.
  if (words.includes("-delete")) return { ...reading("edit"), tidies: true };
  const at = words.findIndex((word) => /^-(?:exec|execdir|ok|okdir|x|X)$|^--exec/.test(word));
  const inner = at === -1 ? undefined : classify(words.slice(at + 1));
  if (inner?.activity === "edit" && isRemover(words[at + 1] ?? "")) return { ...inner, targets: [], tidies: true };
  if (inner?.activity !== undefined && inner.activity !== "read") return { ...inner, targets: [] };
  const named = words.findIndex((word) => /^-i?(?:name|path|regex|wholename)$/.test(word));
  return reading("search", named === -1 ? operandsOf(words).slice(0, 1) : [words[named + 1] ?? ""]);
}

function isRemover(program: string): boolean {
  return /^(?:rm|rmdir|unlink)$/.test(baseName(program));
}

/** `curl`: with a body or another method it does something, else it reads. */
export function classifyRequest(words: readonly string[]): CommandReading {
  const sends =
    hasWord(words, /^(?:-X|--request|-d|--data.*|-F|--form|-T|--upload-file|--json)$/) && !words.includes("GET");
  return sends
    ? { ...reading("run"), program: true }
    : reading(
        "read",
        operandsOf(words).filter((word) => word.includes("/")),
      );
}

const BUILD_OUTPUT = anyOf(
  "",
  /^(?:build|dist|out|target|coverage|node_modules|__pycache__)$/,
  /^\.(?:cache|next|nuxt|turbo|pytest_cache|mypy_cache|ruff_cache|tox|parcel-cache|gradle|eggs)$/,
  /\.(?:pyc|o|log|tsbuildinfo|egg-info)$/,
);

/** `rm`: removing the output of a build or a run does not change the work. */
export function classifyRemoval(files: readonly string[]): CommandReading {
  return files.length > 0 && files.every((file) => BUILD_OUTPUT.test(baseName(file.replace(/\/+\*?$/, ""))))
    ? administering()
    : reading("edit", files);
}
