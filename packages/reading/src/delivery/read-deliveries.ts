import { baseName } from "../programs/command-reading.ts";
import { parseShell } from "../shell/parse-shell.ts";
import { unwrapCommand } from "../shell/unwrap-command.ts";

/** A step towards delivery. `no-verify` skips the hooks that check a commit or a push. */
export type Delivery = "commit" | "push" | "pull-request" | "ci" | "no-verify";

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

const MENTIONS = /\b(?:git|gh|glab|hub|tea)\b/;

function deliveriesOf(words: readonly string[]): readonly Delivery[] {
  const name = baseName(words[0] ?? "");
  const given = words.slice(1);
  if (name === "git") return gitDeliveries(given);
  if (!FORGES.has(name)) return [];
  const [what = "", verb = ""] = given.filter((word) => !word.startsWith("-"));
  if (PULL_REQUESTS.has(what) && (verb === "create" || verb === "new")) return ["pull-request"];
  return CI_COMMANDS.some(([known, does]) => known === what && does === verb) ? ["ci"] : [];
}

/** Options of git that take the next word. */
const WITH_VALUE: ReadonlySet<string> = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function gitDeliveries(words: readonly string[]): readonly Delivery[] {
  let at = 0;
  while (at < words.length && words[at]?.startsWith("-") === true) at += WITH_VALUE.has(words[at] ?? "") ? 2 : 1;
  const verb = words[at];
  const given = words.slice(at + 1);
  if ((verb !== "commit" && verb !== "push") || given.includes("--dry-run")) return [];
  const skips =
    given.includes("--no-verify") || (verb === "commit" && given.some((word) => /^-[a-z]*n[a-z]*$/.test(word)));
  return skips ? [verb, "no-verify"] : [verb];
}
