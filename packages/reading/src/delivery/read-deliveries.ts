import { baseName } from "../programs/command-reading.ts";
import { parseShell } from "../shell/parse-shell.ts";
import { unwrapCommand } from "../shell/unwrap-command.ts";

/**
 * A step towards delivery. `stage` prepares a commit, `merge` joins what is committed, `comment` tells others about it.
 * `no-verify` skips the hooks that check a commit or a push, and `ci` looks how CI went.
 */
export type Delivery =
  "stage" | "commit" | "push" | "merge" | "pull-request" | "comment" | "release" | "ci" | "no-verify";

const NO_WRAPPER = /^(?:echo|printf|which|man|type|where|whereis|help|grep|rg|brew|apt|apt-get|yum|dnf|pip|git)$/;
const FORGES: ReadonlySet<string> = new Set(["gh", "glab", "hub", "tea"]);
const PULL_REQUESTS: ReadonlySet<string> = new Set(["pr", "mr", "pull-request", "pulls"]);
/** Commands of a forge that show how CI went, and say so with their exit code. */
const CI_COMMANDS: readonly (readonly [what: string, verb: string])[] = [
  ["pr", "checks"],
  ["run", "watch"],
  ["ci", "status"],
  ["ci", "view"],
];

/** Returns the steps towards delivery a command line takes, in order, each once. Linear in its length. */
export function readDeliveries(line: string): readonly Delivery[] {
  if (!MENTIONS.test(line)) return [];
  const found = new Set<Delivery>();
  for (const command of parseShell(line).commands) {
    const words = unwrapCommand(command.words);
    const parsed = typeof words === "string" ? parseShell(words).commands.map((inner) => inner.words) : [words];
    for (const each of parsed) for (const delivery of deliveriesOf(each)) found.add(delivery);
  }
  return [...found];
}

const MENTIONS = /\b(?:git|gh|glab|hub|tea|publish|upload|docker)\b/;

/** Names of tools that deliver, as servers of forges give them. */
const TOOLS: readonly (readonly [RegExp, Delivery])[] = [
  [/create_(?:pull|merge)_request$/, "pull-request"],
  [/merge_(?:pull|merge)_request$/, "merge"],
  [/(?:^|_)git_commit$/, "commit"],
  [/(?:^|_)git_add$/, "stage"],
  [/(?:^|_)(?:git_push|push_files)$/, "push"],
  [/(?:add|create)_(?:issue|pr|review|pull_request_review)?_?comment\w*$|(?:^|_)create_issue$/, "comment"],
  [/create_release$/, "release"],
];

/** Returns the step towards delivery a tool takes by its name. */
export function deliveryOfTool(tool: string): readonly Delivery[] {
  const name = tool.toLowerCase();
  const found = /_/.test(name) ? TOOLS.find(([known]) => known.test(name)) : undefined;
  return found === undefined ? [] : [found[1]];
}

function deliveriesOf(words: readonly string[]): readonly Delivery[] {
  // A wrapper that is not known runs the program behind it: `rtk git commit`. One that prints or looks does not.
  const wrapped = words.length > 2 && /^(?:git|gh|glab)$/.test(words[1] ?? "") && !NO_WRAPPER.test(words[0] ?? "");
  const [program = "", ...given] = wrapped ? words.slice(1) : words;
  const name = baseName(program);
  if (name === "git") return gitDeliveries(given);
  const [what = "", verb = ""] = given.filter((word) => !word.startsWith("-"));
  if (PUBLISHERS.get(name)?.test(what) === true) return given.includes("--dry-run") ? [] : ["release"];
  if (!FORGES.has(name)) return [];
  if (PULL_REQUESTS.has(what) && (verb === "create" || verb === "new")) return ["pull-request"];
  const told = FORGE_VERBS.find(([known]) => known.test(`${what} ${verb}`));
  if (told !== undefined) return [told[1]];
  return CI_COMMANDS.some(([known, does]) => known === what && does === verb) ? ["ci"] : [];
}

/** Programs that publish a package or an image, by the word they do it with. */
const PUBLISHERS: ReadonlyMap<string, RegExp> = new Map([
  ...["npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "flit", "hatch", "lerna", "vsce", "jsr"].map(
    (name): [string, RegExp] => [name, /^publish$/],
  ),
  ["twine", /^upload$/],
  ["gem", /^push$/],
  ["docker", /^push$/],
  ["podman", /^push$/],
  ["helm", /^push$/],
]);

const FORGE_VERBS: readonly (readonly [RegExp, Delivery])[] = [
  [/^release (?:create|new|edit|upload|publish)$/, "release"],
  [/^(?:pr|mr|pulls) (?:merge|accept)$/, "merge"],
  [/^(?:pr|mr|pulls|issues?) (?:comment|note|review|edit|update|ready|close|reopen|approve|create|new)$/, "comment"],
];

/** Options of git that take the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function gitDeliveries(words: readonly string[]): readonly Delivery[] {
  let at = 0;
  while (at < words.length && words[at]?.startsWith("-") === true) at += WITH_VALUE.has(words[at] ?? "") ? 2 : 1;
  const verb = words[at];
  const given = words.slice(at + 1);
  if (given.includes("--dry-run")) return [];
  if (verb === "add" || verb === "stage") return ["stage"];
  if (verb === "tag") return given.some((word) => !word.startsWith("-")) && !given.includes("-l") ? ["release"] : [];
  if (verb === "merge" || verb === "rebase" || verb === "cherry-pick" || verb === "revert")
    return given.includes("--abort") ? [] : ["merge"];
  if (verb !== "commit" && verb !== "push") return [];
  const skips =
    given.includes("--no-verify") || (verb === "commit" && given.some((word) => /^-[a-z]*n[a-z]*$/.test(word)));
  return skips ? [verb, "no-verify"] : [verb];
}
