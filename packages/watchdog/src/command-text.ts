/** What a shell command is for, as far as its first words say. */
export type CommandKind = "look" | "overview" | "check" | "wait" | "change" | "run";

const LOOKING = new Set(
  "ls cat head tail less more wc file stat grep egrep rg ag find fd tree pwd which type whoami date env ps df du jq awk cut sort uniq diff echo printf test nl".split(" "),
);
const LOOKING_GIT = new Set("log show blame rev-parse branch remote describe ls-tree cat-file shortlog reflog grep tag config".split(" "));
const OVERVIEW_GIT = new Set(["status", "diff", "ls-files"]);
/** An overview as long as they name nothing. */
const BARE_GIT = new Set(["log", "show", "rev-parse", "branch"]);
const BARE = new Set("ls dir tree pwd head tail wc".split(" "));
const CHANGING = new Set("rm mv cp mkdir touch ln chmod tee patch install sed perl unzip tar kill".split(" "));
const CHECKING =
  /^(?:pytest|tox|jest|vitest|mocha|phpunit|rspec|ctest|tsc|mypy|ruff|eslint|pylint|flake8|pyright)\b|^(?:npx|pnpm|yarn|npm|bun|deno|poetry run|uv run|python3? -m|bundle exec)\s.*\b(?:test|pytest|unittest|jest|vitest|tsc|lint|typecheck|check|build)\b|^(?:cargo|go|dotnet|mvn|gradle|\.\/gradlew|swift|mix|bazel|make|just|rake|rails|composer)\s+.*\b(?:test|tests|check|build|vet|clippy|verify|lint)\b|^make\s*$/;
const WAITING = /^(?:sleep|wait|timeout \d+ tail)\b/;
const GIT_OPTIONS = /^git(?:\s+(?:-C\s+\S+|-c\s+\S+|--no-pager|--git-dir=\S+|--work-tree=\S+))*\s+/;

/** The command line of a shell call, when the arguments hold one. */
export function commandOf(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const { command, cmd, script } = input as { readonly command?: unknown; readonly cmd?: unknown; readonly script?: unknown };
  const found = command ?? cmd ?? script;
  if (typeof found === "string") return found;
  // Some hosts hand over the words of the command; the last one of `bash -lc` is the whole line.
  if (Array.isArray(found) && found.length > 0 && found.every((word) => typeof word === "string")) {
    return /^-l?c$/.test(String(found[1])) ? String(found.at(-1)) : found.join(" ");
  }
  return undefined;
}

/** The simple commands of a line, without the directories they are run in. */
function segmentsOf(command: string): readonly string[] {
  return command
    .slice(0, MAX_COMMAND)
    .split(/&&|\|\||;|\n|\|/)
    .map((segment) => segment.trim().replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, ""))
    .filter((segment) => segment !== "" && !/^cd\s/.test(segment));
}

/** Everything below a folder, as far as a depth or a kind go. */
const FINDS_ALL = /^find(?: \.\/?)?(?: -(?:maxdepth|mindepth) \d| -type [fd]| -not -path \S+| -print| -ls)*$/;
const MAX_COMMAND = 2000;

/** What a whole command line is for: a change anywhere in it makes it a change. */
export function kindOfCommand(command: string): CommandKind {
  if (/(?:^|[^<>0-9&=-])>{1,2}\s*(?!&|\/dev\/null)\S/.test(command.slice(0, MAX_COMMAND))) return "change";
  const kinds = segmentsOf(command).map(kindOfSegment);
  for (const kind of ["change", "check", "run"] as const) if (kinds.includes(kind)) return kind;
  if (kinds.length > 0 && kinds.every((kind) => kind === "overview")) return "overview";
  return kinds.every((kind) => kind === "wait") && kinds.length > 0 ? "wait" : "look";
}

const RUNNERS = /^(?:(?:npx|bunx|uvx|bundle exec|(?:poetry|uv|pipenv) run|(?:pnpm|yarn|npm) exec|python3? -m)\s+(?:-\S+\s+)*)*(?:[\w.-]*\/)*/;

function kindOfSegment(segment: string): CommandKind {
  if (CHECKING.test(segment) || CHECKING.test(segment.replace(RUNNERS, ""))) return "check";
  if (WAITING.test(segment)) return "wait";
  if (segment.startsWith("git ")) return kindOfGit(segment);
  const [word = "", ...rest] = segment.split(/\s+/);
  if (BARE.has(word) && rest.every((part) => part === "-L" || namesNothing(part))) return "overview";
  if (word === "find" && FINDS_ALL.test(segment)) return "overview";
  if (LOOKING.has(word)) return "look";
  if (word === "sed" || word === "perl") return /\s-[a-zA-Z]*i/.test(segment) ? "change" : "look";
  return CHANGING.has(word) || /^(?:pip3?|npm|pnpm|yarn|apt(?:-get)?|brew|cargo|go|conda|uv|poetry)\s+(?:install|add|i|get|remove|uninstall|update|upgrade)\b/.test(segment) ? "change" : "run";
}

function kindOfGit(segment: string): CommandKind {
  const [verb = "", ...rest] = segment.replace(GIT_OPTIONS, "").split(/\s+/);
  if (OVERVIEW_GIT.has(verb)) return rest.some((word) => isPath(word)) ? "look" : "overview";
  if (BARE_GIT.has(verb) && rest.every(namesNothing)) return "overview";
  return LOOKING_GIT.has(verb) ? "look" : verb === "fetch" ? "run" : "change";
}

/** A flag that chooses nothing, a number, a format, or what is here anyway. */
function namesNothing(word: string): boolean {
  return /^(?:-(?!-(?:skip|since|until|after|before|author|grep|all|range)\b|[SGL]).*|\d+|["']?%.*|\.\/?|HEAD)$/.test(word);
}

function isPath(word: string): boolean {
  return word === "--" || (!word.startsWith("-") && !/^(?:HEAD|main|master|origin)\b/.test(word) && /[./]/.test(word));
}

/** The one file a plain viewer shows, such as `head -5 a.ts`; nothing for pipes, redirections and other commands. */
export function viewedFile(command: string): string | undefined {
  if (/[|;&<>`$\n]/.test(command)) return undefined;
  const [viewer = "", ...words] = command.trim().split(/\s+/);
  if (!VIEWERS.has(viewer)) return undefined;
  const files = words.filter((word, index) => !word.startsWith("-") && !(/^\d+$/.test(word) && /^-[nc]$/.test(words[index - 1] ?? "")));
  return files.length === 1 ? files[0] : undefined;
}

const VIEWERS = new Set("cat head tail wc less more file stat md5sum sha256sum".split(" "));

const PRINTED = /^(?:cd\s+\S+\s*&&\s*)?sed\s+-n\s+["']?(\d+),(\d+)p["']?\s+(\S+)\s*$/;

/** The lines of one file a command prints, such as `sed -n '1,80p' a.ts`. */
export function printedLines(command: string): { readonly file: string; readonly from: number; readonly to: number } | undefined {
  const found = command.length < 300 && command.includes("sed") ? PRINTED.exec(command) : null;
  return found === null ? undefined : { file: found[3] ?? "", from: Number(found[1]), to: Number(found[2]) };
}
