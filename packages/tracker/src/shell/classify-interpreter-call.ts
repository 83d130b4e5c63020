import { type CommandReading, reading } from "./command-reading.ts";
import { baseName } from "./unwrap-command.ts";

/** A language's own program: `python x.py`, `node --test`, `python -m pytest`. Gives the words of a module to classify on. */
export function classifyInterpreterCall(words: readonly string[], input: string | undefined): CommandReading | { readonly instead: readonly string[] } {
  const [name = "", ...rest] = words;
  if (rest.length === 0 && input === undefined) return reading("run", { program: true });
  if (rest.some((word) => word === "--version" || word === "-V" || word === "--help" || word === "-h") && rest.length === 1) return reading("read");
  if (/^python|^pypy/.test(name)) {
    const at = rest.indexOf("-m");
    const scriptAt = rest.findIndex((word) => !word.startsWith("-"));
    if (at !== -1 && (scriptAt === -1 || at < scriptAt)) return classifyModule(rest.slice(at + 1));
  }
  if (name === "node" || name === "bun" || name === "deno" || name === "tsx" || name === "ts-node") {
    if (rest.includes("--test")) return reading("test", { runner: "node", targets: rest.filter((word) => !word.startsWith("-")) });
    if (rest.includes("--check") || rest.includes("-c")) return reading("lint");
  }
  const script = scriptOf(rest);
  if (script !== undefined) {
    const file = baseName(script);
    // A runner started by its file: `node node_modules/.bin/jest`, `php vendor/bin/phpunit`.
    const runner = /^(jest|vitest|mocha|ava|phpunit|pest|rspec|pytest|tsc|eslint)(\.m?js)?$/.exec(file)?.[1];
    if (runner !== undefined) return { instead: [runner, ...rest.slice(rest.indexOf(script) + 1)] };
    if (file === "manage.py" || file === "artisan" || file === "console") return classifyManagement(script, rest);
    if (/^(run_?-?tests?|runtests|test_?runner)(\.\w+)?$/i.test(file)) return reading("test", { targets: [script] });
    if (file === "setup.py") return classifySetup(rest);
    return reading("run", { program: true, targets: [script] });
  }
  return reading("run", { program: true });
}

function scriptOf(rest: readonly string[]): string | undefined {
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (word === "-c" || word === "-e" || word === "-p" || word === "--eval" || word === "--print" || word === "-") return undefined;
    if (word === "-r" || word === "--require" || word === "--import" || word === "--loader" || word === "-W" || word === "-X" || word === "-cp" || word === "-classpath") at += 1;
    else if (!word.startsWith("-") && word !== "run") return word;
  }
  return undefined;
}

const TEST_MODULES = new Set(["pytest", "unittest", "nose", "nose2", "tox", "nox", "doctest", "django.test", "green", "ward", "behave", "trial", "stestr", "twisted.trial"]);

function classifyModule([module = "", ...rest]: readonly string[]): CommandReading | { readonly instead: readonly string[] } {
  if (TEST_MODULES.has(module)) return reading("test", { runner: module === "unittest" || module === "django.test" ? "unittest" : module, targets: rest.filter((word) => word.includes("/") || word.endsWith(".py")) });
  if (module === "venv" || module === "ensurepip") return reading("install");
  if (module === "http.server" || module === "timeit" || module === "cProfile" || module === "pdb" || module === "trace") return reading("run", { program: true });
  if (module === "json.tool" || module === "site" || module === "sysconfig" || module === "pydoc" || module === "dis" || module === "tokenize") return reading("read");
  if (module === "py_compile" || module === "compileall") return reading("lint", { targets: rest });
  if (module === "build") return reading("build");
  if (module === "coverage" && rest[0] === "run") return { instead: rest[1] === "-m" ? ["python", "-m", ...rest.slice(2)] : ["python", ...rest.slice(1)] };
  return /^(pip|mypy|flake8|pylint|ruff|black|isort|pycodestyle|pyright|bandit|pre_commit|virtualenv|tox)$/.test(module) ? { instead: [module, ...rest] } : reading("run", { program: true });
}

function classifyManagement(script: string, rest: readonly string[]): CommandReading {
  const verb = rest[rest.indexOf(script) + 1] ?? "";
  if (/^test/.test(verb)) return reading("test", { runner: baseName(script) === "artisan" ? "phpunit" : "unittest" });
  if (/^(makemigrations|migrate|startapp|make:)/.test(verb)) return reading("run", { mutates: true, program: true });
  return reading(verb === "check" ? "lint" : "run", { program: true });
}

function classifySetup(rest: readonly string[]): CommandReading {
  if (rest.includes("test")) return reading("test", { runner: "unittest" });
  return reading(rest.some((word) => word === "install" || word === "develop") ? "install" : "build");
}
