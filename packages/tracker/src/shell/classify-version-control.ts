import { type CommandReading, operandsOf, reading } from "./command-reading.ts";

const READING = new Set("status log diff show blame annotate rev-parse rev-list ls-files ls-tree ls-remote describe reflog shortlog cat-file name-rev merge-base for-each-ref show-ref count-objects whatchanged range-diff check-ignore diff-tree var help version --version bisect".split(" "));
const VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree"]);

/** `git`: looking is not writing, `git grep` is a search and `git apply` an edit. */
export function classifyGit(words: readonly string[]): CommandReading {
  const rest = pastOptions(words);
  const [verb = "", ...given] = rest;
  const operands = given.filter((word) => !word.startsWith("-"));
  if (verb === "grep") return reading("search", { targets: operands });
  if (verb === "apply" || verb === "am") return given.includes("--check") || given.includes("--stat") ? reading("vcs-read") : reading("edit");
  if (verb === "rm" || verb === "mv") return reading("edit", { targets: operands });
  if (verb === "" || READING.has(verb)) return reading("vcs-read", { targets: filesAfter(given) });
  const lists =
    (verb === "branch" || verb === "tag" || verb === "remote" || verb === "worktree" || verb === "stash" || verb === "config" || verb === "notes" || verb === "submodule" || verb === "lfs") && looks(verb, given, operands);
  return reading(lists ? "vcs-read" : "vcs-write");
}

function looks(verb: string, given: readonly string[], operands: readonly string[]): boolean {
  const [first] = operands;
  switch (verb) {
    case "branch":
      return operands.length === 0 || given.some((word) => ["--list", "-l", "-a", "-r", "-v", "-vv", "--show-current", "--contains", "--merged"].includes(word));
    case "tag":
      return operands.length === 0 || given.includes("-l") || given.includes("--list");
    case "config":
      return given.some((word) => word.startsWith("--get") || word === "-l" || word === "--list") || operands.length === 1;
    case "stash":
    case "worktree":
      return first === "list" || first === "show";
    default:
      return first === undefined || first === "show" || first === "get-url" || first === "status" || first === "list" || first === "ls-files";
  }
}

function filesAfter(given: readonly string[]): readonly string[] {
  const at = given.indexOf("--");
  return at === -1 ? [] : given.slice(at + 1);
}

function pastOptions(words: readonly string[]): readonly string[] {
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (VALUED.has(word)) at += 1;
    else if (!word.startsWith("-") || word === "--version" || word === "--help") return words.slice(at);
  }
  return [];
}

/** `gh`, `glab`, `hub`: view and list read, everything else writes. */
export function classifyForge(words: readonly string[]): CommandReading {
  const operands = operandsOf(words);
  const [what = "", verb = ""] = operands;
  if (what === "api") return reading(words.some((word) => /^(-X|--method|-f|-F|--field|--raw-field|--input)$/.test(word)) && !words.includes("GET") && !words.includes("graphql") ? "vcs-write" : "vcs-read");
  if (what === "search" || what === "status" || what === "auth") return reading("vcs-read");
  return reading(/^(view|list|diff|status|checks|download|watch|ls)$/.test(verb) ? "vcs-read" : "vcs-write");
}

/** `svn` and `hg`. */
export function classifyOtherVersionControl(words: readonly string[]): CommandReading {
  const [verb = ""] = operandsOf(words);
  return reading(/^(status|st|log|diff|info|cat|blame|annotate|ls|list|summary|id|heads|parents)$/.test(verb) ? "vcs-read" : "vcs-write");
}
