import type { Activity } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import { isFinalWord } from "../agents/mini-swe-agent.ts";
import { SWE_AGENT_PROGRAMS } from "../agents/swe-agent.ts";
import { classifyCheck } from "./classify-check.ts";
import {
  classifyFind,
  classifyLook,
  classifyRemoval,
  classifyRequest,
  classifyStreamEditor,
} from "./classify-file-command.ts";
import { classifyForge, classifyGit } from "./classify-git.ts";
import { classifyInterpreterCall, INTERPRETERS } from "./classify-interpreter-call.ts";
import { classifyPackageManager } from "./classify-package-manager.ts";
import { classifyTaskRunner, readTask, TASK_RUNNERS } from "./classify-task.ts";
import {
  administering,
  asksForHelp,
  baseName,
  checking,
  type CommandPlace,
  type CommandReading,
  hasWord,
  operandsOf,
  reading,
  rewriting,
  running,
} from "./command-reading.ts";
import { isTemporary } from "../edits/temporary.ts";
import { classifyTracker } from "./classify-tracker.ts";
import { FILTERS, NEUTRAL, PROGRAMS } from "./program-table.ts";
import { classifyByVerb, VERB_PROGRAMS } from "./verb-table.ts";
import { wordSet } from "../word-table.ts";

type Rule = (words: readonly string[], name: string, place: CommandPlace) => CommandReading;

const ALONE: CommandPlace = { piped: false, input: undefined };

/** Adds a rule for programs, by their names. */
type Know = (names: string | Iterable<string>, rule: Rule) => void;

/** Every program that is known, by name; the later rule wins. Made when the first command is read. */
function buildRules(): ReadonlyMap<string, Rule> {
  const rules = new Map<string, Rule>();
  const know: Know = (names, rule) => {
    for (const name of typeof names === "string" ? names.split(" ") : names) rules.set(name, rule);
  };
  for (const table of [PROGRAMS, SWE_AGENT_PROGRAMS])
    for (const [activity, names] of Object.entries(table)) know(names, ruleOf(activity));
  know(VERB_PROGRAMS, classifyByVerb);
  know(TASK_RUNNERS.keys(), classifyTaskRunner);
  know(NEUTRAL, (words) => reading(isFinalWord(words) ? "finish" : undefined));
  know("git", classifyGit);
  know("gh glab hub", classifyForge);
  know("npm yarn pnpm", classifyPackageManager);
  knowLanguages(know);
  knowCheckers(know);
  knowTools(know);
  return rules;
}

function knowLanguages(know: Know): void {
  know("python python3 node nodejs ruby php java tsx ts-node", interpreter);
  know("bun", (words, name, place) =>
    /^-(?!-filter)|\.\w+$/.test(words[1] ?? "") ? interpreter(words, name, place) : classifyPackageManager(words, name),
  );
  know("deno", (words, name, place) =>
    /\.\w+$|^eval$/.test(words[1] ?? "")
      ? interpreter(words, name, place)
      : words[1] === "task"
        ? readTask(words[2] ?? "")
        : classifyByVerb(words, name),
  );
  know("sed", (words, _name, { piped }) =>
    classifyStreamEditor(words, { piped, inPlace: hasWord(words, /^(?:-[a-zA-Z]*i|--in-place)/) }),
  );
  know("awk gawk", (words, _name, { piped }) =>
    classifyStreamEditor(words, { piped, inPlace: words.includes("inplace") }),
  );
  know("perl ruby", (words, name, place) => {
    if (hasWord(words, /^-[0-9a-z]*i(?:$|\.|[a-z]*$)/)) return reading("edit", operandsOf(words).slice(1));
    return hasWord(words, name === "perl" ? /^-\w*[ne]/ : /^-[np]/)
      ? classifyStreamEditor(words, { piped: place.piped, inPlace: false })
      : interpreter(words, name, place);
  });
}

function knowCheckers(know: Know): void {
  know("gofmt gofumpt goimports clang-format autopep8 shfmt rustfmt", (words, name) => {
    const writes =
      hasWord(words, /^(?:-w|-i|--in-place|--write)/) || (name === "rustfmt" && !words.includes("--check"));
    if (writes) return rewriting(name, operandsOf(words));
    const found = checking("lint", undefined, operandsOf(words));
    return hasWord(words, /^-[dl]$/) ? { ...found, prints: true } : found;
  });
  // Analyzers of Go that rewrite what they find.
  know("modernize fieldalignment shadow nilness", (words, name) =>
    words.includes("--fix") || words.includes("-fix")
      ? rewriting(name, [], { checks: true })
      : checking("lint", undefined),
  );
  know("jq yq xmllint", (words, name, place) =>
    parsesOnly(words, name)
      ? { ...checking("lint", name, operandsOf(words).slice(name === "xmllint" ? 0 : 1)), kind: "parse" }
      : classifyLook(words, { activity: "read", name, place }),
  );
  know("bash sh zsh dash", (words) =>
    hasWord(words, /^-[a-z]*n$/) ? checking("lint", undefined, operandsOf(words)) : running(),
  );
}

function knowTools(know: Know): void {
  know("find fd fdfind", (words) => classifyFind(words, (inner) => classifyCommand(inner, ALONE)));
  know("sort", (words, name, place) => {
    const at = words.findIndex((word) => /^(?:-o|--output(?:=.*)?)$/.test(word));
    if (at === -1) return classifyLook(words, { activity: "read", name, place });
    return reading("edit", [/=(.*)$/.exec(words[at] ?? "")?.[1] ?? words[at + 1] ?? ""]);
  });
  know("curl", classifyRequest);
  // Unpacking changes files, but not what the agent works on: it lays out what was given.
  know("tar", ([, how = ""]) => (/^-?\w*t|^--list/.test(how) ? reading("read") : administering()));
  know("str_replace_editor", ([, verb, path = ""]) =>
    reading(verb === "view" ? "read" : "edit", path === "" ? [] : [path]),
  );
  know("unzip", (words) => (hasWord(words, /^-[a-z]*[lptvZ]/) ? reading("read", operandsOf(words)) : administering()));
  know("R", ([, command, verb]) =>
    command !== "CMD"
      ? running()
      : verb === "check"
        ? checking("test", undefined)
        : reading(verb === "build" ? "build" : verb === "INSTALL" ? "install" : "run"),
  );
  know("bd beads br td jira linear trello task-master tk", classifyTracker);
  // Our own command line says nothing about the work.
  know("phasekit", (words) => reading(looksAround(words) || asksForHelp(words) ? "read" : "run"));
  // Without a command it prints what it is given.
  know("xargs", () => reading(undefined));
  know("mkdir md chmod chown zip gzip gunzip bunzip2 unxz", administering);
  know("cp copy copy-item", (words) => {
    const files = operandsOf(words);
    // From one temporary place to another: the work is not touched.
    return files.length > 1 && files.every(isTemporary) ? reading(undefined) : reading("edit", files);
  });
  know("rm rmdir rd del erase remove-item trash", (words) => classifyRemoval(operandsOf(words)));
  // Without a pipe or a text it takes the output of another command: `> >(tee log)`.
  know("tee", (words, _name, { piped, input }) =>
    piped || input !== undefined ? reading("edit", operandsOf(words)) : reading(undefined),
  );
}

/** `jq empty a.json`, `xmllint --noout a.xml`: nothing is shown but what is wrong. */
function parsesOnly(words: readonly string[], name: string): boolean {
  return name === "xmllint" ? words.includes("--noout") : operandsOf(words)[0] === "empty";
}

let known: ReadonlyMap<string, Rule> | undefined;

/** How a program is read whose name says what it does. */
function ruleOf(activity: Activity): Rule {
  switch (activity) {
    case "read":
    case "search":
      return (words, name, place) => classifyLook(words, { activity, name, place });
    case "edit":
      return (words) => reading("edit", operandsOf(words));
    case "test":
    case "lint":
    case "build":
      return (words, name) => classifyCheck(words, { activity, name });
    case "install":
      return classifyByVerb;
    default:
      return () => reading(activity);
  }
}

// A file of the project by one of these names is its own program, not the one of the system.
const OFTEN_LOCAL = new Set(["test", "install", "start", "run", "view", "create", "edit"]);

/** Reads an unwrapped program call. */
export function classifyCommand(words: readonly string[], place: CommandPlace): CommandReading {
  const [given = ""] = words;
  const name = baseName(given);
  // PowerShell does not tell cases apart, and its own commands have a name like Get-Content.
  const rules = (known ??= buildRules());
  const rule = rules.get(name) ?? (/^[A-Z][a-z]+-[A-Z]/.test(name) ? rules.get(name.toLowerCase()) : undefined);
  if (rule === undefined || (given !== name && OFTEN_LOCAL.has(name)))
    return unknownProgram(words, { given, name, place });
  return rule(words, name, place);
}

function interpreter(words: readonly string[], name: string, place: CommandPlace): CommandReading {
  const found = classifyInterpreterCall(words, name, place);
  return "instead" in found ? classifyCommand(found.instead, place) : found;
}

// An unknown program before a familiar one is a wrapper.
const FAMILIAR = wordSet(
  "git npm pnpm yarn bun npx node python python3 pytest jest vitest cargo go make docker gh ls cat grep rg find " +
    "tsc eslint pip uv",
);

// Cmdlets that only pass on what they are given.
const CMDLET_FILTER = /^(?:ConvertFrom|ConvertTo|Group|Tee|Out|Format|Sort|Select|Where|ForEach|Measure)-/i;
/** The program that runs a file of the project called by its name. */
const LANGUAGES: Readonly<Record<string, string>> = tableOf({
  py: "python",
  rb: "ruby",
  js: "node",
  mjs: "node",
  cjs: "node",
  php: "php",
  pl: "perl",
});

function unknownProgram(
  words: readonly string[],
  { given, name, place }: { readonly given: string; readonly name: string; readonly place: CommandPlace },
): CommandReading {
  if (INTERPRETERS.test(name)) return interpreter(words, name, place);
  // `1..3 | ForEach-Object { … }`: a number runs nothing.
  if (
    /^(?:-|\d+(?:\.\.\d+)?$)/.test(given) ||
    (place.piped && (FILTERS.has(name.toLowerCase()) || CMDLET_FILTER.test(name)))
  )
    return reading(undefined);
  if (given.startsWith("$")) return variable(words, place);
  if (PARSER.test(given)) return parsing(words);
  const wrapped = words.slice(1, 3).findIndex((word) => FAMILIAR.has(word));
  if (wrapped !== -1) return classifyCommand(words.slice(wrapped + 1), ALONE);
  const local = given !== name;
  const language = local ? LANGUAGES[name.slice(name.lastIndexOf(".") + 1)] : undefined;
  if (language !== undefined) return interpreter([language, ...words], language, place);
  if (!local && asksForHelp(words)) return reading("read");
  if (/[-_]?lint(?:er)?$/.test(name)) return checking("lint", undefined);
  // `./test` may be any program; `bin/test` and `scripts/test` are what they say.
  if (local && /(?:^|[-_.])(?:run[-_]?)?tests?(?:[-_.]|$)/i.test(name))
    return /^\.[/\\]test$/.test(given) ? running([given]) : checking("test", undefined, [given]);
  // `forge test`, `storybook build`, `./dev lint`.
  if (/^(?:tests?|lint|build|compile|typecheck)$/.test(words[1] ?? "")) return readTask(words[1] ?? "");
  if (!local && looksAround(words)) return reading("read");
  return running(local ? [given] : []);
}

// Words with which most programs only show something: `x status`, `x session list`, `x skills get y`.
const SHOWS = wordSet(
  "status list ls show get info view describe inspect search find version versions help doctor whoami logs log history " +
    "ready tree graph stats summary diff explain which where ps top env events describe-instances outdated",
);

/** True if an unknown program is asked to show something: one of its first words says so, and no word says more. */
function looksAround(words: readonly string[]): boolean {
  const verbs = operandsOf(words).slice(0, 3);
  const at = verbs.findIndex((word) => SHOWS.has(word));
  return at !== -1 && at < 2 && verbs.slice(0, at).every((word) => /^[a-z][a-z-]*$/.test(word));
}

/** `$env:CI=1`, `$x = Get-Content a`, `foreach ($x in Get-ChildItem)`, `$PYTHON -m pytest`. */
function variable(words: readonly string[], place: CommandPlace): CommandReading {
  const parsed = words.find((word) => PARSER.test(word));
  if (parsed !== undefined) return parsing(words);
  if (words[1] === "=" || words[1] === "in") return classifyCommand(words.slice(2), place);
  if (/^-(?:not)?(?:eq|ne|gt|ge|lt|le|i?match|like|contains)$/i.test(words[1] ?? "")) return reading(undefined);
  return words.length === 1 || words[0]?.includes("=") === true
    ? reading(undefined)
    : words[1] === "-m"
      ? interpreter(words, "python", place)
      : running();
}

/** The parser of PowerShell itself, asked for the errors in a script. */
const PARSER = /\[(?:System\.Management\.Automation\.)?Language\.Parser\]::Parse(?:File|Input)/i;

function parsing(words: readonly string[]): CommandReading {
  const [, file = ""] = /ParseFile\(["']?([^"',)]+)/i.exec(words.join(" ")) ?? [];
  return { ...checking("lint", undefined, file === "" ? [] : [file.trim()]), kind: "parse" };
}
