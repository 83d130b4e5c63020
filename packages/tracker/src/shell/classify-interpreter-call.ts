import { baseName, checking, type CommandReading, reading, running } from "./command-reading.ts";
import { taskActivity } from "./classify-task.ts";

/** Programs that run what is written in a language. */
export const INTERPRETERS = /^(?:python|pypy|node|nodejs|deno|ruby|php|perl|java|tsx|ts-node|lua|Rscript|julia|bun|groovy|scala|elixir|ipython|swipl|osascript|py)[\d.]*$/;

/** A reading, or the words of a program to read instead. */
export type InterpreterReading = CommandReading | { readonly instead: readonly string[] };

/** A language's own program: `python x.py`, `node --test`, `python -m pytest`. */
export function classifyInterpreterCall(words: readonly string[], name: string): InterpreterReading {
  const rest = words.slice(1);
  if (rest.length === 1 && /^(?:--version|-V|-v|--help|-h|-version)$/.test(rest[0] ?? "")) return reading("read");
  if (name.startsWith("py")) {
    const at = rest.indexOf("-m");
    const scriptAt = rest.findIndex((word) => !word.startsWith("-"));
    if (at !== -1 && (scriptAt === -1 || at < scriptAt)) return classifyModule(rest.slice(at + 1));
  }
  if (/^(?:node|nodejs|bun|tsx|ts-node)$/.test(name)) {
    if (rest.includes("--test")) return checking("test", "node", rest.filter((word) => !word.startsWith("-")));
    if (rest.includes("--check") || rest.includes("-c")) return reading("lint");
  }
  const script = scriptOf(rest);
  if (script === undefined) return running();
  const file = baseName(script);
  // A runner started by its file: `node node_modules/.bin/jest`, `php vendor/bin/phpunit`.
  const runner = /^(jest|vitest|mocha|ava|phpunit|pest|rspec|pytest|tsc|eslint)(?:\.[cm]?js)?$/.exec(file)?.[1];
  const behind = rest.slice(rest.indexOf(script) + 1);
  if (runner !== undefined) return { instead: [runner, ...behind] };
  if (file === "manage.py" || file === "artisan" || file === "console") return classifyManagement(file, behind[0] ?? "");
  if (/^(?:run_?-?(?:all_?-?)?tests?|runtests?|test_?-?runner|tests)(?:\.\w+)?$/i.test(file)) return checking("test", undefined, [script]);
  if (file === "setup.py") return behind.includes("test") ? checking("test", "unittest") : reading(behind.some((word) => word === "install" || word === "develop") ? "install" : "build");
  return running([script]);
}

const NO_SCRIPT = /^(?:-c|-e|-p|--eval|--print|-)$/;
const VALUED = /^(?:-r|--require|--import|--loader|-W|-X|-cp|-classpath|--env-file)$/;

function scriptOf(rest: readonly string[]): string | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (NO_SCRIPT.test(word)) return undefined;
    if (VALUED.test(word)) at += 1;
    else if (!word.startsWith("-") && word !== "run") return word;
  }
  return undefined;
}

const MODULES = new Map<string, string>(
  Object.entries({
    test: "pytest unittest nose nose2 tox nox doctest django.test green ward behave trial stestr twisted.trial xmlrunner testtools.run",
    install: "venv ensurepip",
    read: "json.tool site sysconfig pydoc dis tokenize ast",
    build: "build",
    // Programs of their own.
    instead: "pip mypy flake8 pylint ruff black isort pycodestyle pyright bandit pre_commit virtualenv invoke poetry",
  }).flatMap(([kind, modules]) => modules.split(" ").map((module) => [module, kind])),
);

function classifyModule([module = "", ...rest]: readonly string[]): InterpreterReading {
  const kind = MODULES.get(module);
  if (kind === "test") return checking("test", module === "django.test" ? "unittest" : module, rest.filter((word) => word.includes("/") || word.endsWith(".py")));
  if (kind === "instead") return { instead: [module, ...rest] };
  if (kind !== undefined) return reading(kind);
  if (module === "py_compile" || module === "compileall") return checking("lint", undefined, rest);
  if (module === "coverage" && rest[0] === "run") return { instead: ["python", ...rest.slice(1).filter((word) => word === "-m" || !word.startsWith("-"))] };
  return module === "coverage" ? reading("read") : running();
}

function classifyManagement(file: string, verb: string): CommandReading {
  if (verb.startsWith("test")) return checking("test", file === "artisan" ? "phpunit" : "unittest");
  if (/^(?:makemigrations|migrate|startapp|make:)/.test(verb)) return { ...running(), mutates: true };
  return verb === "check" || taskActivity(verb) === "lint" ? reading("lint") : running();
}
