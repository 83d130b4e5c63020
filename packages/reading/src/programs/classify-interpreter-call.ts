import { tableOf } from "@phasekit/core/adapter";
import { readInlineCode } from "./inline-code.ts";
import {
  baseName,
  checking,
  type CommandPlace,
  type CommandReading,
  hasWord,
  reading,
  running,
} from "./command-reading.ts";
import { taskActivity } from "./classify-task.ts";
import { kindsByWord } from "../word-table.ts";
import { oneOf } from "../patterns.ts";

/** Programs that run what is written in a language. */
export const INTERPRETERS = new RegExp(
  `^${oneOf(
    "python pypy node nodejs deno ruby php perl java tsx ts-node lua Rscript julia bun groovy scala elixir ipython " +
      "swipl osascript py",
  )}[\\d.]*$`,
);

/** A reading, or the words of a program to read instead. */
export type InterpreterReading = CommandReading | { readonly instead: readonly string[] };

/** A language's own program: `python x.py`, `node --test`, `python -m pytest`. */
export function classifyInterpreterCall(
  words: readonly string[],
  name: string,
  place: CommandPlace,
): InterpreterReading {
  const rest = words.slice(1);
  if (rest.length === 1 && /^(?:--version|-V|-v|--help|-h|-version)$/.test(rest[0] ?? "")) return reading("read");
  if (name.startsWith("py")) {
    const at = rest.indexOf("-m");
    const first = scriptOf(rest, name);
    if (at !== -1 && (first === undefined || at < rest.indexOf(first))) return classifyModule(rest.slice(at + 1));
  }
  if (/^(?:node|nodejs|bun|tsx|ts-node)$/.test(name) && rest.includes("--test"))
    return checking(
      "test",
      "node",
      rest.filter((word) => !word.startsWith("-")),
    );
  if (SYNTAX_ONLY[name]?.test(rest[0] ?? "") === true) return checking("lint", undefined, rest.slice(1));
  const script = scriptOf(rest, name);
  if (script === undefined) return fromCode(codeOf(rest, name) ?? place.input, place);
  const file = baseName(script);
  // A runner started by its file: `node node_modules/.bin/jest`, `php vendor/bin/phpunit`.
  const runner = /^(jest|vitest|mocha|ava|phpunit|pest|rspec|pytest|tsc|eslint)(?:\.[cm]?js)?$/.exec(file)?.[1];
  const behind = rest.slice(rest.indexOf(script) + 1);
  if (runner !== undefined) return { instead: [runner, ...behind] };
  if (file === "manage.py" || file === "artisan" || file === "console")
    return classifyManagement(file, behind[0] ?? "");
  if (
    /^(?:run_?-?(?:all_?-?)?tests?|runtests?|test_?-?runner|tests)(?:\.\w+)?$/i.test(file) ||
    /[^.]\/test$/.test(script)
  )
    return checking("test", undefined, [script]);
  if (name === "ruby" && (/(?:^|\/)tests?\//.test(script) || /_(?:test|spec)\.rb$/.test(file)))
    return checking("test", "minitest", [script]);
  if (file === "setup.py")
    return behind.includes("test")
      ? checking("test", "unittest")
      : reading(hasWord(behind, /^(?:install|develop)$/) ? "install" : "build");
  return running([script]);
}

/** Options that only look whether the syntax is right. */
const SYNTAX_ONLY: Readonly<Record<string, RegExp>> = tableOf({
  node: /^(?:-c|--check)$/,
  nodejs: /^(?:-c|--check)$/,
  php: /^(?:-l|--syntax-check)$/,
  ruby: /^-\w*c$/,
  perl: /^-\w*c$/,
});
const CODE = /^(?:-[a-zA-Z]?[ceE]|-p|-pe|--eval|--print|eval)$/;
const VALUED = /^(?:-r|--require|--import|--loader|-W|-X|-cp|-classpath|--env-file|-I)$/;

function isCode(word: string, name: string): boolean {
  return CODE.test(word) || (word === "-r" && name.startsWith("php"));
}

function codeOf(rest: readonly string[], name: string): string | undefined {
  const at = rest.findIndex((word) => isCode(word, name));
  return at === -1 ? undefined : rest[at + 1];
}

/** Code that is handed over as text. */
function fromCode(code: string | undefined, { piped }: CommandPlace): CommandReading {
  if (code === undefined) return running();
  const { activity, targets, filters, rewrites = [], parses, loads = [], idle } = readInlineCode(code);
  if (piped && filters && activity !== "edit") return reading(undefined);
  if (idle === true) return reading("run");
  if (parses === true) return { ...checking("lint", undefined, targets), kind: "parse" };
  return activity === "run"
    ? { ...running(loads), inline: true, ...(rewrites.length > 0 && { rewrites }) }
    : activity === "test"
      ? checking("test", undefined)
      : reading(activity, targets);
}

function scriptOf(rest: readonly string[], name: string): string | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (word === "-" || isCode(word, name)) return undefined;
    if (VALUED.test(word)) at += 1;
    else if (!word.startsWith("-") && word !== "run") return word;
  }
  return undefined;
}

const MODULES = kindsByWord({
  test: "unittest doctest django.test stestr twisted.trial xmlrunner testtools.run",
  install: "venv ensurepip",
  read: "json.tool site sysconfig pydoc dis tokenize ast",
  build: "build",
  // Programs of their own.
  instead:
    "pytest nose nose2 tox nox green ward behave trial pip mypy flake8 pylint ruff black isort pycodestyle " +
    "pyright bandit pre_commit virtualenv invoke poetry",
});

function classifyModule([module = "", ...rest]: readonly string[]): InterpreterReading {
  const kind = MODULES.get(module);
  if (kind === "test")
    return checking(
      "test",
      module === "django.test" ? "unittest" : module,
      rest.filter((word) => word.includes("/") || word.endsWith(".py")),
    );
  if (kind === "instead") return { instead: [module, ...rest] };
  if (kind !== undefined) return reading(kind);
  if (module === "py_compile" || module === "compileall") return checking("lint", undefined, rest);
  if (module === "coverage" && rest[0] === "run")
    return { instead: ["python", ...rest.slice(1).filter((word) => word === "-m" || !word.startsWith("-"))] };
  return module === "coverage" ? reading("read") : running();
}

function classifyManagement(file: string, verb: string): CommandReading {
  if (verb.startsWith("test")) return checking("test", file === "artisan" ? "phpunit" : "unittest");
  if (/^(?:makemigrations|migrate|startapp|make:)/.test(verb)) return { ...running(), mutates: true };
  return verb === "check" || taskActivity(verb) === "lint" ? reading("lint") : running();
}
