import type { Activity } from "@phasekit/core";
import { classifyInterpreterCall } from "./classify-interpreter-call.ts";
import { classifyPackageManager, classifyTaskRunner } from "./classify-task.ts";
import { classifyForge, classifyGit, classifyOtherVersionControl } from "./classify-version-control.ts";
import { type CommandReading, operandsOf, reading } from "./command-reading.ts";
import { ADMINISTRATION, FILTERS, NEUTRAL, PROGRAMS } from "./command-table.ts";
import type { ShellCommand } from "./parse-shell.ts";
import { baseName } from "./unwrap-command.ts";

const activities = new Map<string, Activity>();
for (const [activity, names] of Object.entries(PROGRAMS)) for (const name of names.split(" ")) activities.set(name, activity);

/** What an unwrapped program call does. */
export function classifyCommand(words: readonly string[], { piped, input }: Pick<ShellCommand, "piped" | "input">): CommandReading {
  const [given = ""] = words;
  const name = baseName(given);
  if (NEUTRAL.has(name)) return /COMPLETE_TASK_AND_SUBMIT|MINI_SWE_AGENT_FINAL/.test(words.join(" ").slice(0, 200)) ? reading("finish") : reading(undefined);
  const special = SPECIAL[name];
  if (special !== undefined && Object.hasOwn(SPECIAL, name)) return special(words, { piped, input });
  if (/^(python|pypy|node|nodejs|deno|ruby|php|perl|java|tsx|ts-node|lua|Rscript|julia|bun|groovy|scala|elixir|ipython|swipl|pwsh|powershell|osascript)[\d.]*$/.test(name)) {
    const found = classifyInterpreterCall([name, ...words.slice(1)], input);
    return "instead" in found ? classifyCommand(found.instead, { piped, input }) : found;
  }
  const activity = activities.get(name);
  if (activity === undefined) return unknownProgram(given, name, words);
  if (activity === "read" || activity === "search") return piped && FILTERS.has(name) && !readsFiles(name, words) ? reading(undefined) : looking(activity, name, words);
  if (activity === "edit") return reading("edit", { targets: operandsOf(words) });
  if (activity === "lint") return lint(name, words);
  if (activity === "build") return build(name, words);
  if (activity === "test") return asksForHelp(words) ? reading("read") : reading("test", { runner: name, targets: operandsOf(words).filter((word) => /[./]/.test(word)) });
  if (activity === "install") return isQuery(words) ? reading("read") : reading("install");
  return reading(activity);
}

type Special = (words: readonly string[], place: Pick<ShellCommand, "piped" | "input">) => CommandReading;

const packageManager: Special = (words) => classifyPackageManager([baseName(words[0] ?? ""), ...words.slice(1)]);
const tasks = (fallback: Activity): Special => (words) => classifyTaskRunner([baseName(words[0] ?? ""), ...words.slice(1)], fallback);

const SPECIAL: Readonly<Record<string, Special>> = {
  git: classifyGit,
  gh: classifyForge,
  glab: classifyForge,
  hub: classifyForge,
  svn: classifyOtherVersionControl,
  hg: classifyOtherVersionControl,
  npm: packageManager,
  yarn: packageManager,
  pnpm: packageManager,
  bun: (words, place) => (words[1] === "test" ? reading("test", { runner: "bun" }) : isScript(words[1]) ? interpreter(words, place) : packageManager(words, place)),
  deno: (words, place) => (words[1] === "test" ? reading("test", { runner: "deno" }) : words[1] === "lint" || words[1] === "check" ? reading("lint") : words[1] === "fmt" ? reading("edit") : interpreter(words, place)),
  make: tasks("build"),
  gmake: tasks("build"),
  just: tasks("run"),
  task: tasks("run"),
  mise: tasks("run"),
  rake: tasks("run"),
  invoke: tasks("run"),
  ninja: tasks("build"),
  gradle: tasks("build"),
  gradlew: tasks("build"),
  mvn: tasks("build"),
  mvnw: tasks("build"),
  sbt: tasks("build"),
  lein: tasks("build"),
  mix: tasks("run"),
  rails: tasks("run"),
  bazel: tasks("build"),
  swift: tasks("build"),
  stack: tasks("build"),
  cabal: tasks("build"),
  zig: tasks("build"),
  composer: tasks("install"),
  nx: tasks("build"),
  turbo: tasks("build"),
  lerna: tasks("run"),
  grunt: tasks("build"),
  gulp: tasks("build"),
  ng: tasks("build"),
  hatch: tasks("run"),
  meson: tasks("build"),
  vite: tasks("run"),
  next: tasks("run"),
  playwright: (words) => (words[1] === "test" ? reading("test", { runner: "playwright" }) : reading(words[1] === "install" ? "install" : "run", { program: true })),
  cypress: (words) => (words[1] === "run" ? reading("test", { runner: "cypress" }) : reading("run", { program: true })),
  cargo: (words) => cargo(words),
  go: (words) => go(words),
  dotnet: (words) => dotnet(words),
  sed: (words, { piped }) => streamEditor(words, { piped, inPlace: words.some((word) => /^(?:-[a-zA-Z]*i|--in-place)/.test(word)) }),
  perl: (words, place) => (words.some((word) => /^-\w*i/.test(word)) ? reading("edit", { targets: operandsOf(words).slice(1) }) : words.some((word) => /^-\w*[ne]/.test(word)) ? streamEditor(words, { piped: place.piped, inPlace: false }) : interpreter(words, place)),
  awk: (words, { piped }) => streamEditor(words, { piped, inPlace: words.includes("inplace") }),
  gawk: (words, { piped }) => streamEditor(words, { piped, inPlace: words.includes("inplace") }),
  find: (words) => find(words),
  fd: (words) => find(words),
  ruff: (words) => (words.includes("--fix") || (words[1] === "format" && !words.includes("--check") && !words.includes("--diff")) ? reading("lint", { mutates: true, runner: "ruff" }) : reading("lint", { runner: "ruff" })),
  uv: (words) => (words[1] === "pip" && isQuery(words.slice(1)) ? reading("read") : reading(words[1] === "build" ? "build" : "install")),
  poetry: (words) => reading(words[1] === "show" || words[1] === "check" || words[1] === "env" ? "read" : words[1] === "build" ? "build" : "install"),
  pipenv: () => reading("install"),
  pdm: () => reading("install"),
  bundle: (words) => reading(words[1] === "show" || words[1] === "list" ? "read" : "install"),
  curl: (words) => (words.some((word) => /^(-X|--request|-d|--data.*|-F|--form|-T)$/.test(word)) && !words.includes("GET") ? reading("run", { program: true }) : reading("read", { targets: operandsOf(words).filter((word) => word.includes("/")) })),
  wget: (words) => reading("read", { targets: operandsOf(words).filter((word) => word.includes("/")) }),
  http: (words) => reading("read", { targets: operandsOf(words) }),
  tar: (words) => reading(/x/.test(words[1] ?? "") || words.includes("--extract") ? "edit" : /t/.test(words[1] ?? "") ? "read" : "run"),
  str_replace_editor: (words) => editor(words),
  docker: (words) => container(words),
  podman: (words) => container(words),
  kubectl: (words) => reading(/^(get|describe|logs|explain|version)$/.test(words[1] ?? "") ? "read" : "run"),
};

function interpreter(words: readonly string[], place: Pick<ShellCommand, "piped" | "input">): CommandReading {
  const found = classifyInterpreterCall([baseName(words[0] ?? ""), ...words.slice(1)], place.input);
  return "instead" in found ? classifyCommand(found.instead, place) : found;
}

function isScript(word = ""): boolean {
  return word === "-e" || /\.\w+$/.test(word) || word.startsWith("--test");
}

function asksForHelp(words: readonly string[]): boolean {
  return words.length === 2 && /^(--version|-V|--help|-h|-v|version)$/.test(words[1] ?? "");
}

function isQuery(words: readonly string[]): boolean {
  const [verb = ""] = operandsOf(words);
  return asksForHelp(words) || /^(list|show|search|info|freeze|check|policy|ls|outdated|config|env|--version|current|versions|which|view|index)$/.test(verb);
}

function looking(activity: Activity, name: string, words: readonly string[]): CommandReading {
  const operands = operandsOf(words);
  const counted = name === "head" || name === "tail" ? operands.filter((word) => !/^\+?\d+$/.test(word)) : operands;
  return reading(activity, { targets: MACHINE.has(name) ? [] : counted });
}

// What they are given are names of commands, hosts or processes, not files.
const MACHINE = new Set("which type whereis man info help env printenv id date ps ping dig nslookup host getent kill uname locale test [ ip route history jobs tput basename dirname".split(" "));

function readsFiles(name: string, words: readonly string[]): boolean {
  const operands = operandsOf(words).filter((word) => !/^\d+$/.test(word));
  return operands.length > (/^(grep|egrep|fgrep|rg|sed|awk|gawk|jq|yq|tr|perl)$/.test(name) ? 1 : 0) && !/^(tr|cut|fold|xargs)$/.test(name);
}

function streamEditor(words: readonly string[], { piped, inPlace }: { readonly piped: boolean; readonly inPlace: boolean }): CommandReading {
  const scripted = words.some((word) => word === "-e" || word === "-f" || word === "--expression");
  const files = operandsOf(words).slice(scripted ? 0 : 1).filter((word) => !/^[\d,$]+[pd]$/.test(word));
  if (inPlace) return reading("edit", { targets: files });
  return piped && files.length === 0 ? reading(undefined) : reading("read", { targets: files });
}

function find(words: readonly string[]): CommandReading {
  if (words.includes("-delete")) return reading("edit");
  const at = words.findIndex((word) => word === "-exec" || word === "-execdir" || word === "-ok" || word === "-x");
  const inner = at === -1 ? undefined : classifyCommand(words.slice(at + 1), { piped: false, input: undefined });
  if (inner?.activity !== undefined && inner.activity !== "read") return { ...inner, targets: [] };
  const named = words.findIndex((word) => /^-i?(name|path|regex)$/.test(word));
  return reading("search", { targets: named === -1 ? operandsOf(words).slice(0, 2) : [words[named + 1] ?? ""] });
}

const REWRITERS = new Set(["prettier", "black", "isort", "yapf", "biome", "dprint", "eslint", "stylelint", "rubocop", "djlint", "sqlfluff", "autopep8", "ruff"]);
const ALWAYS_REWRITE = new Set(["black", "isort", "yapf"]);

function lint(name: string, words: readonly string[]): CommandReading {
  const rewrites =
    REWRITERS.has(name) &&
    (words.some((word) => /^(--write|-w|--fix|-i|--in-place|-A|-a|--autocorrect|--apply|fmt|fix)$/.test(word)) || (ALWAYS_REWRITE.has(name) && !words.some((word) => /^(--check|--diff|--check-only|-c|--version)$/.test(word))));
  return reading("lint", { runner: name, mutates: rewrites, targets: operandsOf(words).filter((word) => /[./]/.test(word)) });
}

function build(name: string, words: readonly string[]): CommandReading {
  if (asksForHelp(words)) return reading("read");
  if ((name === "tsc" || name === "tsgo") && words.some((word) => /^--?noEmit$/i.test(word))) return reading("lint", { runner: "tsc" });
  return reading("build", name === "tsc" || name === "tsgo" ? { runner: "tsc" } : {});
}

function cargo(words: readonly string[]): CommandReading {
  const verb = operandsOf(words).find((word) => !word.startsWith("+")) ?? "";
  if (verb === "test" || verb === "t" || verb === "nextest" || verb === "tarpaulin") return reading("test", { runner: verb === "nextest" ? "nextest" : "cargo" });
  if (verb === "clippy" || verb === "check" || verb === "c" || verb === "audit" || verb === "deny") return reading("lint");
  if (verb === "fmt") return reading("lint", { mutates: !words.includes("--check") });
  if (verb === "run" || verb === "r" || verb === "bench" || verb === "miri") return reading("run", { program: true });
  if (/^(add|install|fetch|update|remove|vendor)$/.test(verb)) return reading("install");
  if (/^(tree|metadata|search|info|version|locate-project|pkgid)$/.test(verb)) return reading("read");
  return reading(verb === "new" || verb === "init" || verb === "fix" ? "edit" : "build");
}

function go(words: readonly string[]): CommandReading {
  const [verb = "", next = ""] = operandsOf(words);
  if (verb === "test") return reading("test", { runner: "go" });
  if (verb === "vet") return reading("lint");
  if (verb === "fmt" || verb === "fix" || verb === "generate") return reading("lint", { mutates: true });
  if (verb === "run" || verb === "tool") return reading("run", { program: true });
  if (verb === "get" || verb === "install" || (verb === "mod" && next !== "graph" && next !== "why" && next !== "verify") || verb === "work") return reading("install");
  return reading(verb === "build" ? "build" : "read");
}

function dotnet(words: readonly string[]): CommandReading {
  const [verb = ""] = operandsOf(words);
  if (verb === "test" || verb === "vstest") return reading("test", { runner: "dotnet" });
  if (verb === "add" || verb === "restore" || verb === "tool" || verb === "remove") return reading("install");
  if (verb === "run" || verb === "watch" || verb === "exec") return reading("run", { program: true });
  if (verb === "format") return reading("lint", { mutates: !words.includes("--verify-no-changes") });
  return reading(verb === "" || verb === "list" ? "read" : "build");
}

function editor(words: readonly string[]): CommandReading {
  const [, verb = "", path = ""] = words;
  return reading(verb === "view" ? "read" : "edit", { targets: path === "" ? [] : [path] });
}

function container(words: readonly string[]): CommandReading {
  const verb = operandsOf(words).find((word) => word !== "compose" && word !== "container" && word !== "image" && word !== "buildx") ?? "";
  if (verb === "build") return reading("build");
  if (/^(ps|images|logs|inspect|version|info|stats|top|ls|history|config|port|diff)$/.test(verb)) return reading("read");
  return reading(verb === "pull" ? "install" : "run", { mutates: true });
}

// A program nobody knows in front of one everybody knows is a wrapper.
const FAMILIAR = new Set("git npm pnpm yarn bun npx node python python3 pytest jest vitest cargo go make docker gh ls cat grep rg find tsc eslint pip uv".split(" "));

function unknownProgram(given: string, name: string, words: readonly string[]): CommandReading {
  if (FAMILIAR.has(words[1] ?? "") && !ADMINISTRATION.has(name)) return classifyCommand(words.slice(1), { piped: false, input: undefined });
  if (ADMINISTRATION.has(name)) return reading("run", { mutates: /^(mkdir|chmod|chown|ln|tar|zip|gzip)$/.test(name) });
  if (asksForHelp(words)) return reading("read");
  const local = given.includes("/");
  if (local && /(^|[-_.])(run[-_]?)?tests?([-_.]|$)/i.test(name)) return reading("test", { targets: [given] });
  return reading("run", { program: true, targets: local ? [given] : [] });
}
