import { checking, type CommandReading, hasWord, operandsOf, reading, running, verbOf } from "./command-reading.ts";
import { wordSet } from "../word-table.ts";

const READING = wordSet(
  "status log diff show blame annotate rev-parse rev-list ls-files ls-tree ls-remote describe reflog shortlog " +
    "cat-file name-rev merge-base for-each-ref show-ref count-objects whatchanged range-diff check-ignore diff-tree " +
    "diff-index var help version cherry fsck grep-log fetch",
);
// Verbs that look or write by what follows them.
const EITHER = wordSet("branch tag remote worktree stash config notes submodule lfs");

/** `git`: looking is not writing, `git grep` is a search and `git apply` an edit. */
export function classifyGit(words: readonly string[]): CommandReading {
  const [verb = "", ...given] = verbOf(words);
  if (verb === "diff" && given.includes("--check")) return checking("lint", "git", filesAfter(given));
  if (verb === "" || READING.has(verb)) return reading("vcs-read", filesAfter(given));
  // Trying it out: nothing is sent or written.
  if (DRY.has(verb) && hasWord(given, /^(?:--dry-run|-n)$/) && !(verb === "commit" && given.includes("-n")))
    return reading("run");
  const operands = operandsOf(given, 0);
  switch (verb) {
    case "grep":
      return reading("search", operands);
    case "apply":
    case "am":
      return reading(hasWord(given, /^--(?:check|stat|numstat|summary)$/) ? "vcs-read" : "edit");
    case "bisect":
      // Tries the program out at one commit after another, so its output is not a result of the work.
      return operands[0] === "run"
        ? running()
        : reading(/^(?:log|view|visualize|terms)$/.test(operands[0] ?? "log") ? "vcs-read" : "vcs-write");
    case "rm":
      // Takes it out of the index alone.
      return given.includes("--cached") ? reading("vcs-write") : reading("edit", operands);
    case "mv":
      return reading("edit", operands);
    case "commit":
    case "push":
      return given.includes("--no-verify") ? reading("vcs-write") : { ...reading("vcs-write"), hooks: true };
    case "checkout":
      // In a conflict this takes one side of a file.
      if (hasWord(given, /^--(?:ours|theirs)$/)) return reading("edit", operands);
      return withRestored(reading("vcs-write"), verb, given);
    default:
      return EITHER.has(verb) && looks(verb, given, operands)
        ? reading("vcs-read")
        : withRestored(reading("vcs-write"), verb, given);
  }
}

const DRY = wordSet("push commit add clean");

/** `git checkout -- a.ts` takes a change back. An operand of `checkout` may be a branch: the policy knows the files. */
function withRestored(found: CommandReading, verb: string, given: readonly string[]): CommandReading {
  const operands = operandsOf(given, 0);
  if (verb === "stash") {
    const [action = "push"] = operands;
    if (action === "push" || action === "save") return { ...found, stashes: ["push"] };
    return action === "pop" || action === "apply" ? { ...found, stashes: ["pop"] } : found;
  }
  if (verb === "reset" && given.includes("--hard")) return { ...found, restores: [] };
  const isFiles =
    verb === "checkout" || (verb === "restore" && (!given.includes("--staged") || given.includes("--worktree")));
  return isFiles && operands.length > 0 ? { ...found, restores: operands } : found;
}

function looks(verb: string, given: readonly string[], operands: readonly string[]): boolean {
  const [first] = operands;
  switch (verb) {
    case "branch":
    case "tag":
      return (
        operands.length === 0 ||
        hasWord(given, /^(?:--list|-l|-a|-r|-v|-vv|--show-current|--contains|--merged|--points-at|--sort.*)$/)
      );
    case "config":
      return operands.length === 1 || hasWord(given, /^(?:--get.*|-l|--list)$/);
    case "stash":
    case "worktree":
      return first === "list" || first === "show";
    default:
      return first === undefined || /^(?:show|get-url|status|list|ls-files)$/.test(first);
  }
}

function filesAfter(given: readonly string[]): readonly string[] {
  const at = given.indexOf("--");
  return at === -1 ? [] : given.slice(at + 1);
}

/** `gh`, `glab`, `hub`: view and list read, everything else writes. */
export function classifyForge(words: readonly string[]): CommandReading {
  const [what = "", verb = ""] = operandsOf(words);
  if (what === "" || what === "search" || what === "status" || what === "auth") return reading("vcs-read");
  if (what === "api") {
    const writes =
      hasWord(words, /^(?:-X|--method|-f|-F|--field|--raw-field|--input)$/) &&
      !words.includes("GET") &&
      !words.includes("graphql");
    return reading(writes ? "vcs-write" : "vcs-read");
  }
  const ci = ciOf(what, verb);
  if (ci !== undefined) return { ...reading("vcs-read"), ci };
  return reading(/^(?:view|list|diff|status|checks|download|watch|ls)$/.test(verb) ? "vcs-read" : "vcs-write");
}

/** How a command of a forge asks for the state of CI. */
function ciOf(what: string, verb: string): CommandReading["ci"] {
  switch (`${what} ${verb}`) {
    case "pr checks":
    case "mr checks":
    case "run watch":
    case "ci status":
    case "ci view":
    case "pipeline status":
      return "watch";
    case "run list":
    case "ci list":
    case "pipeline list":
      return "list";
    case "run rerun":
    case "ci retry":
      return "start";
    default:
      return undefined;
  }
}
