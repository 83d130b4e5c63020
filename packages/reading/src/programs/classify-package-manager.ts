import {
  administering,
  checking,
  type CommandReading,
  isPath,
  operandsOf,
  reading,
  running,
} from "./command-reading.ts";
import { readTask } from "./classify-task.ts";
import { kindsByWord } from "../word-table.ts";

const VERBS = kindsByWord({
  install:
    "i install ci add remove rm uninstall un update up upgrade link unlink dedupe prune rebuild import fetch " +
    "clean-install approve-builds global install-clean",
  test: "t tst test it install-test",
  task: "run run-script rum urn",
  try: "start dev serve exec x dlx create",
  read:
    "ls list ll view info show outdated why explain audit root bin prefix search config get whoami help licenses " +
    "fund doctor ping query workspaces store",
  admin:
    "version publish set init login logout dist-tag deprecate changeset patch-commit owner access token team org " +
    "profile hook star unpublish",
  build: "pack build",
});

/** `npm`, `yarn`, `pnpm`, `bun`: packages and the scripts of a project. */
export function classifyPackageManager(words: readonly string[], name: string): CommandReading {
  const [verb = "", task = ""] = verbAndTask(words);
  if (verb === "")
    return reading(
      words.includes("--version") || words.includes("-v")
        ? "read"
        : name === "yarn" || name === "pnpm"
          ? "install"
          : "run",
    );
  switch (VERBS.get(verb)) {
    case "install":
      return reading("install");
    case "test":
      return checking("test", runnerOf(words) ?? (name === "bun" ? name : undefined), filesIn(words));
    case "task":
      return task === "" ? reading("read") : readTask(task, runnerOf(words));
    case "try":
      return { ...running(), whole: true };
    case "read":
      return reading("read");
    case "admin":
      // `npm dist-tag ls`, `npm publish --dry-run`
      return LOOKS.test(task) || words.includes("--dry-run") ? reading("read") : administering();
    case "build":
      // `npm pack other-package` fetches that package.
      return verb === "pack" && task !== "" && !/^\.{0,2}\//.test(task) ? administering() : reading("build");
    default:
      // `yarn lint`, `pnpm e2e`: scripts without the word `run`.
      return readTask(verb, runnerOf(words));
  }
}

/** Files behind the verb: `npm test -- src/a.test.ts`. */
function filesIn(words: readonly string[]): readonly string[] {
  const operands = operandsOf(words);
  return operands.slice(operands.findIndex((word) => VERBS.get(word) === "test") + 1).filter(isPath);
}

const LOOKS = /^(?:ls|list|ls-\w+|get)$/;

function runnerOf(words: readonly string[]): string | undefined {
  return words.find((word) => /^(?:jest|vitest|mocha|ava|playwright|cypress|pytest)$/.test(word));
}

const VALUED = new Set(["-C", "--dir", "--filter", "-F", "--prefix", "--cwd", "-w", "--workspace", "-p", "workspace"]);

/** The verb and what follows it, past options such as `--filter x`. */
function verbAndTask(words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 1; at < words.length && found.length < 2; at += 1) {
    const word = words[at] ?? "";
    // `pnpm -w test` means the root, `npm -w web test` a workspace.
    if (VALUED.has(word) && !(word === "-w" && words[0] === "pnpm")) at += 1;
    else if (!word.startsWith("-") && word !== "workspaces" && word !== "foreach" && word !== "recursive")
      found.push(word);
  }
  return found;
}
