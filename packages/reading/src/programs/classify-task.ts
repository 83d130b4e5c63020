import type { Activity } from "@phasekit/core";
import { tableOf } from "@phasekit/core/adapter";
import {
  administering,
  asksForHelp,
  checking,
  type CommandReading,
  hasWord,
  reading,
  running,
  verbOf,
} from "./command-reading.ts";
import { kindsByWord, wordSet } from "../word-table.ts";
import { anyOf } from "../patterns.ts";

const TASKS: readonly (readonly [Activity, ReadonlySet<string>])[] = [
  ["install", wordSet("install deps bootstrap setup")],
  [
    "lint",
    wordSet(
      "lint linting eslint tslint typecheck types tsc prettier mypy flake8 ruff format fmt clippy vet stylelint " +
        "typescript credo dialyzer detekt ktlint",
    ),
  ],
  [
    "test",
    wordSet(
      "test tests testing spec specs e2e unit integration jest vitest mocha pytest playwright cypress coverage cov " +
        "unittest ci tst smoke",
    ),
  ],
  ["build", wordSet("build compile bundle dist docs codegen generate prebuild package all release")],
  ["lint", wordSet("check checks validate verify")],
];

/**
 * The activity of a task by its name, as in `npm run lint:fix` or `make test-unit`; `undefined` when the name says
 * nothing.
 */
export function taskActivity(task: string): Activity | undefined {
  const words = task
    .replace(/([a-z])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return TASKS.find(([, names]) => words.some((word) => names.has(word)))?.[0];
}

/** A task of a project, by its name; one that says nothing runs a program. */
export function readTask(task: string, runner?: string): CommandReading {
  const activity = taskActivity(task);
  if (activity === undefined) return { ...running(), whole: true };
  if (activity === "test") return checking("test", runner);
  return TYPES.test(task) ? { ...reading(activity), kind: "types" } : reading(activity);
}

const TYPES = /(?:^|[^a-z])(?:type-?check(?:ing)?|types|tsc|mypy|pyright)(?:[^a-z]|$)/i;

/** Programs that run the tasks of a project, with what they do when no task says anything. */
export const TASK_RUNNERS: ReadonlyMap<string, Activity> = kindsByWord({
  build:
    "make gmake ninja gradle gradlew mvn mvnw sbt lein bazel bazelisk stack cabal nx turbo grunt gulp ng meson " +
    "moon pants buck2 zig",
  run: "just task mise rake invoke inv mix rails lerna vite next poe doit nox-task thor dagger earthly devbox wireit",
  install: "composer",
});

const READERS: Readonly<Record<string, string>> = tableOf({
  gradlew: "gradle",
  mvnw: "maven",
  mvn: "maven",
  gmake: "make",
});

const SKIPS_TESTS = /^-D(?:skipTests|maven\.test\.skip)(?:=true)?$/;
const LOOKS = anyOf(
  "",
  /^(?:dependency:(?:tree|analyze|list)|help(?::.*)?|dependencies|dependencyInsight|tasks|projects|properties)$/,
  /^(?:c?query|aquery|info|routes|about)$/,
);

/**
 * `make check`, `just test`, `rake spec`, `gradle test`, `mvn verify`: a test among the tasks decides, else the first
 * that says something.
 */
export function classifyTaskRunner(words: readonly string[], name: string): CommandReading {
  if (asksForHelp(words)) return reading("read");
  if (/^(?:g?make|ninja|just)$/.test(name) && hasWord(words, /^(?:-n|--dry-run)$/)) return reading("read");
  const tasks: string[] = words.flatMap((word) => /^--targets?=(.+)$/.exec(word)?.[1]?.split(",") ?? []);
  for (let rest = verbOf(words); rest.length > 0 && tasks.length < 16; rest = verbOf(rest))
    if (rest[0]?.includes("=") !== true) tasks.push(rest[0] ?? "");
  const runner = READERS[name] ?? name;
  // `stack build --test`: the task says one thing and an option the other.
  if (words.includes("--test") || words.includes("--tests")) return checking("test", runner);
  if (tasks[0] === "clean" && tasks.length === 1) return administering();
  if (LOOKS.test(tasks[0] ?? "")) return reading("read");
  // Gradle's task follows its project: `:core:test`.
  const found = tasks.flatMap((task) =>
    isTest(task, runner)
      ? "test"
      : (taskActivity(runner === "gradle" ? task.slice(task.lastIndexOf(":") + 1) : task) ?? []),
  );
  if (found.includes("test")) return hasWord(words, SKIPS_TESTS) ? reading("build") : checking("test", runner);
  // Maven installs what it has built.
  if (found[0] !== undefined) return reading(runner === "maven" ? "build" : found[0]);
  if (hasWord(words, /^(?:--list|-l|--summary)$/)) return reading("read");
  return tasks.some((task) => /^(?:run|bootRun|serve|server|start|dev)$/.test(task))
    ? { ...running(), whole: true }
    : reading(TASK_RUNNERS.get(name) ?? "run");
}

/** Names that mean tests in one kind of project and something else in others. */
function isTest(task: string, runner: string): boolean {
  if (runner === "make" || runner === "gradle")
    return task === "check" || task === "installcheck" || task === "distcheck";
  return runner === "maven" && /^(?:verify|integration-test|surefire:test|failsafe:.*)$/.test(task);
}
