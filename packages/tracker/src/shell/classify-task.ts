import type { Activity } from "@phasekit/core";
import { type CommandReading, operandsOf, reading } from "./command-reading.ts";

/** What a task does by its name, as in `npm run lint:fix` or `make test-unit`; `undefined` when the name says nothing. */
function taskActivity(task: string): Activity | undefined {
  const words = task.toLowerCase().split(/[^a-z0-9]+/);
  const has = (...names: readonly string[]): boolean => names.some((name) => words.includes(name));
  if (has("install", "deps", "bootstrap", "setup")) return "install";
  if (has("lint", "eslint", "tslint", "typecheck", "types", "tsc", "prettier", "mypy", "flake8", "ruff", "format", "fmt", "clippy", "vet", "stylelint", "typescript")) return "lint";
  if (has("test", "tests", "spec", "specs", "e2e", "unit", "integration", "jest", "vitest", "mocha", "pytest", "playwright", "cypress", "coverage", "unittest", "ci", "tst", "smoke")) return "test";
  if (has("build", "compile", "bundle", "dist", "docs", "codegen", "generate", "prebuild", "package", "all", "release")) return "build";
  if (has("check", "validate", "verify")) return "lint";
  return undefined;
}

/** `npm`, `yarn`, `pnpm`, `bun`: packages and the scripts of a project. */
export function classifyPackageManager(words: readonly string[]): CommandReading {
  const [name = ""] = words;
  const [verb = "", task = ""] = withoutValues(words);
  switch (verb) {
    case "":
      return words.includes("--version") || words.includes("-v") ? reading("read") : reading(name === "yarn" || name === "pnpm" ? "install" : "run");
    case "i": case "install": case "ci": case "add": case "remove": case "rm": case "uninstall": case "un": case "update": case "up": case "upgrade":
    case "link": case "unlink": case "dedupe": case "prune": case "rebuild": case "import": case "fetch": case "clean-install": case "install-test": case "approve-builds": case "global":
      return reading("install");
    case "t": case "tst": case "test":
      return reading("test", testRunner(name, words));
    case "run": case "run-script": case "rum": case "urn":
      return task === "" ? reading("read") : taskReading(task, words);
    case "start": case "dev": case "serve": case "exec": case "x": case "dlx":
      return reading("run", { program: true });
    case "ls": case "list": case "ll": case "view": case "info": case "show": case "outdated": case "why": case "explain": case "audit": case "root": case "bin": case "prefix": case "search": case "config": case "get": case "whoami": case "help": case "licenses": case "fund": case "doctor": case "ping": case "query": case "workspaces":
      return reading("read");
    case "version": case "publish": case "set": case "init": case "create": case "login": case "dist-tag": case "deprecate": case "changeset":
      return reading("run", { mutates: true });
    case "pack": case "build":
      return reading("build");
    default:
      // `yarn lint`, `pnpm e2e`: scripts without the word `run`.
      return taskReading(verb, words);
  }
}

function taskReading(task: string, words: readonly string[]): CommandReading {
  const activity = taskActivity(task);
  if (activity === undefined) return reading("run", { program: true });
  return reading(activity, activity === "test" ? testRunner("", words) : {});
}

function testRunner(name: string, words: readonly string[]): { readonly runner?: string } {
  const known = words.find((word) => /^(jest|vitest|mocha|ava|playwright|cypress|pytest)$/.test(word));
  return known === undefined ? (name === "bun" ? { runner: "bun" } : {}) : { runner: known };
}

const VALUED = new Set(["-C", "--dir", "--filter", "-F", "--prefix", "--cwd", "-w", "--workspace", "-p"]);

/** The verb and what follows it, past options such as `--filter x`. */
function withoutValues(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 1; at < words.length && found.length < 2; at += 1) {
    const word = words[at] ?? "";
    if (word === "workspace") at += 1;
    else if (VALUED.has(word)) at += 1;
    else if (!word.startsWith("-") && word !== "workspaces" && word !== "foreach") found.push(word);
  }
  return found;
}

/** `make check`, `just test`, `rake spec`, `gradle test`, `mvn verify`: the first task that says something decides. */
export function classifyTaskRunner(words: readonly string[], fallback: Activity): CommandReading {
  const [name = ""] = words;
  const tasks = operandsOf(words).filter((word) => !word.includes("="));
  for (const task of tasks) {
    if (task === "clean" && tasks.length === 1) return reading("run", { mutates: true });
    if ((name === "make" || name === "gmake" || name.startsWith("gradle")) && (task === "check" || task === "installcheck" || task === "distcheck")) return reading("test", { runner: name === "make" ? "make" : "gradle" });
    const activity = taskActivity(task.slice(task.lastIndexOf(":") + 1)) ?? taskActivity(task);
    if (activity !== undefined) return reading(activity, activity === "test" ? { runner: runnerOf(name) } : {});
  }
  return tasks.some((task) => task === "run" || task === "bootRun" || task === "serve" || task === "start" || task === "dev") ? reading("run", { program: true }) : reading(fallback);
}

function runnerOf(name: string): string {
  return name === "gradlew" ? "gradle" : name === "mvnw" ? "maven" : name === "mvn" ? "maven" : name === "gmake" ? "make" : name;
}
