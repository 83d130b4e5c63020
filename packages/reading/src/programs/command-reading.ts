import type { Activity } from "@phasekit/core";
import { wordSet } from "../word-table.ts";

/** One program call. */
export interface CommandReading {
  /** `undefined` for what is neither here nor there: `cd`, `export`, a filter in a pipe. */
  readonly activity: Activity | undefined;
  /** Files it names. */
  readonly targets: readonly string[];
  readonly mutates: boolean;
  /** For tests and checks: which runner, when the command says so. */
  readonly runner: string | undefined;
  /** It runs a program, as against an administrative command: after an edit that is trying out what was changed. */
  readonly program: boolean;
  /** True if it runs code of the agent's own, passed as text. */
  readonly inline?: true;
  /** Files it changes before it does anything else. */
  readonly rewrites?: readonly string[];
  /** Files it puts back to a stored state; the whole tree if there are none. */
  readonly restores?: readonly string[];
  /** Changes it puts aside, or takes up again. */
  readonly stashes?: readonly ("push" | "pop")[];
  /** The kind of a check, where its activity says less. */
  readonly kind?: "types" | "parse";
  /** True if it ends with 0 and prints what is wrong: `gofmt -l`. */
  readonly prints?: true;
  /** True if it runs the hooks of a repository: `git commit`, `git push`. */
  readonly hooks?: true;
  /** True if it rewrites files by a rule, as a formatter does. */
  readonly formats?: true;
  /** True if it only takes files away that it finds by itself, as `find -delete` does. */
  readonly tidies?: true;
  /** True if it also says what it could not put right: `eslint --fix`. */
  readonly checks?: true;
  /** How it asks for the state of CI. */
  readonly ci?: "watch" | "list" | "start";
  /** True if it runs a program of the project as a whole: `cargo run`, `npm start`. */
  readonly whole?: true;
  /** The part of the tests it asks for, as in `pytest -k money`. */
  readonly filter?: string;
}

/** The place of a command in its line. */
export interface CommandPlace {
  /** It reads another command's output. */
  readonly piped: boolean;
  /** The text a heredoc or here-string feeds it. */
  readonly input: string | undefined;
}

const NONE: readonly string[] = [];

/** Makes a reading; edits, installations and writes to version control change something. */
export function reading(activity: Activity | undefined, targets: readonly string[] = NONE): CommandReading {
  return {
    activity,
    targets,
    mutates: activity === "edit" || activity === "install" || activity === "vcs-write",
    runner: undefined,
    program: false,
  };
}

/** A test run or check by a runner that the command names. */
export function checking(
  activity: Activity,
  runner: string | undefined,
  targets: readonly string[] = NONE,
): CommandReading {
  return { activity, targets, mutates: false, runner, program: false };
}

/** Rewriting files by a rule: a formatter, a linter that fixes what it finds. */
export function rewriting(
  runner: string | undefined,
  targets: readonly string[] = NONE,
  { checks = false }: { readonly checks?: boolean } = {},
): CommandReading {
  return {
    activity: "edit",
    targets,
    mutates: true,
    runner,
    program: false,
    formats: true,
    ...(checks && { checks }),
  };
}

/** Trying out a program. */
export function running(targets: readonly string[] = NONE): CommandReading {
  return { activity: "run", targets, mutates: false, runner: undefined, program: true };
}

/** An administrative command that leaves something behind. */
export function administering(): CommandReading {
  return { activity: "run", targets: NONE, mutates: true, runner: undefined, program: false };
}

/** The words other than options. */
export function operandsOf(words: readonly string[], from = 1): readonly string[] {
  const operands: string[] = [];
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word !== "" && word.charCodeAt(0) !== 45) operands.push(word);
  }
  return operands;
}

// Options that take the next word, of the programs that have a verb, as far as they come before it.
const VALUED = wordSet(
  "-C -c -F -f -H -n -p -P -w -x -j -pl -R --cwd --dir --directory --exclude-task --file --filter --git-dir --host " +
    "--kubeconfig --manifest-path --namespace --prefix --project --project-directory --repo --work-tree --workspace",
);

/** The verb of `git -C x commit` and what follows it. */
export function verbOf(words: readonly string[], from = 1): readonly string[] {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word.charCodeAt(0) !== 45) {
      // `cargo +nightly test`
      if (word.charCodeAt(0) !== 43) return words.slice(at);
    } else if (VALUED.has(word)) at += 1;
  }
  return [];
}

/** True if one of the words is of this form. */
export function hasWord(words: readonly string[], form: RegExp): boolean {
  return words.some((word) => form.test(word));
}

/** True if a command only asks for a version or for help, of a subcommand too: `docker run --help`. */
export function asksForHelp(words: readonly string[]): boolean {
  // Behind `--` it is for another program.
  if (words.at(-1) === "--help" && !words.includes("--")) return true;
  return words.length === 2 && /^(?:--version|-V|-h|-v|version|-version)$/.test(words[1] ?? "");
}

/** True if a word looks like a path. */
export function isPath(word: string): boolean {
  return word.includes("/") || word.includes(".");
}

/** The last part of a path, without the ending of a Windows program. */
export function baseName(path: string): string {
  let start = path.length;
  while (start > 0 && !isSeparator(path.charCodeAt(start - 1))) start -= 1;
  const name = start === 0 ? path : path.slice(start);
  return name.length > 4 && name.charCodeAt(name.length - 4) === 46
    ? name.replace(/\.(?:exe|cmd|bat|ps1)$/i, "")
    : name;
}

function isSeparator(code: number): boolean {
  return code === 47 || code === 92;
}
