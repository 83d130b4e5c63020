import { tableOf } from "@phasekit/core/adapter";
import {
  administering,
  asksForHelp,
  checking,
  type CommandReading,
  hasWord,
  isPath,
  operandsOf,
  reading,
  rewriting,
  running,
  verbOf,
} from "./command-reading.ts";
import { kindsByWord } from "../word-table.ts";

/** The effect of a verb of a program. */
type VerbKind =
  | "test"
  | "lint"
  | "build"
  | "install"
  | "read"
  | "edit"
  | "vcs-read"
  | "vcs-write"
  /** Runs a program. */
  | "try"
  /** Changes something that is not a file of the project. */
  | "admin"
  /** Rewrites the files it checks. */
  | "fix"
  | "none";

/** Verbs by their effect, separated by spaces. */
type Verbs = Readonly<Partial<Record<VerbKind, string>>>;

/** Verbs of one program beside the common ones, and the effect of any other verb. */
type VerbTable = Verbs & {
  readonly otherwise: VerbKind;
  /** True if the common verbs mean something else here. */
  readonly alone?: true;
};

/** Verbs that mean the same in most programs. */
const COMMON: Verbs = {
  test: "test",
  lint: "lint check clippy vet analyze validate audit",
  fix: "fmt format fix",
  try: "run exec bench",
  install: "install add remove update fetch pull restore pub",
  build: "build compile",
  read:
    "list ls show info search tree version status logs log ps diff config env history top inspect outdated " +
    "explain describe",
};

const VERBS: Readonly<Record<string, VerbTable>> = tableOf({
  cargo: {
    test: "t nextest tarpaulin llvm-cov",
    lint: "c deny",
    try: "r miri",
    install: "vendor",
    read: "expand metadata locate-project pkgid",
    edit: "new init fix",
    otherwise: "build",
  },
  go: { fix: "generate", try: "tool", install: "get mod work", otherwise: "read" },
  dotnet: { test: "vstest", install: "tool", try: "watch", edit: "new", otherwise: "build" },
  swift: { install: "package", otherwise: "build" },
  flutter: { test: "drive", read: "doctor devices", otherwise: "build" },
  dart: { otherwise: "try" },
  deno: { install: "cache", build: "bundle", read: "types doc", otherwise: "try" },
  playwright: { install: "install-deps", otherwise: "try" },
  cypress: { test: "run", otherwise: "try" },
  ruff: { otherwise: "lint" },
  uv: { otherwise: "install" },
  poetry: { read: "check about", otherwise: "install" },
  pipenv: { read: "graph check", otherwise: "install" },
  pdm: { otherwise: "install" },
  bundle: { otherwise: "install" },
  rye: { otherwise: "install" },
  hatch: { otherwise: "install" },
  pixi: { otherwise: "install" },
  docker: { read: "images stats port events", admin: "run exec update", otherwise: "admin" },
  podman: { read: "images stats port", admin: "run exec update", otherwise: "admin" },
  kubectl: { read: "get api-resources", admin: "run exec", otherwise: "admin" },
  svn: { "vcs-read": "status st log diff info cat blame annotate ls list", otherwise: "vcs-write", alone: true },
  hg: {
    "vcs-read": "status st log diff cat blame annotate summary id heads parents",
    otherwise: "vcs-write",
    alone: true,
  },
  nix: { read: "eval flake path-info", otherwise: "install" },
  nixfmt: { otherwise: "fix", alone: true },
  terraform: { read: "plan output state providers graph", install: "init get", otherwise: "admin" },
  tofu: { read: "plan output state", install: "init", otherwise: "admin" },
  pulumi: { read: "preview stack whoami", otherwise: "admin" },
  tmux: {
    read: "capture-pane capturep ls list-sessions list-windows list-panes display-message",
    otherwise: "admin",
    alone: true,
  },
  helm: { read: "get", try: "template", install: "dependency dep repo", admin: "install", otherwise: "admin" },
});

/** All programs that install: looking up what there is installs nothing. */
const INSTALLERS: VerbTable = {
  read: "freeze check policy current versions which view index",
  none: "activate deactivate use shell init",
  otherwise: "install",
};

const tables = new Map<string, ReadonlyMap<string, VerbKind>>();

function verbsOf(name: string, { otherwise: _, alone, ...own }: VerbTable): ReadonlyMap<string, VerbKind> {
  let verbs = tables.get(name);
  if (verbs === undefined) {
    verbs = new Map([...(alone === true ? [] : kindsByWord(COMMON)), ...kindsByWord<VerbKind>(own)]);
    tables.set(name, verbs);
  }
  return verbs;
}

/** Programs that are read by their verb. */
export const VERB_PROGRAMS: readonly string[] = Object.keys(VERBS);

/** Reads `cargo test`, `docker ps`, `pip list` by the verb. */
export function classifyByVerb(words: readonly string[], name: string): CommandReading {
  let [verb = "", ...rest] = verbOf(words);
  if (verb === "" || asksForHelp(words)) return reading(words.length === 1 && name !== "docker" ? "run" : "read");
  if ((name === "docker" || name === "podman") && /^(?:compose|container|image|buildx|volume|network)$/.test(verb))
    [verb = "", ...rest] = verbOf([verb, ...rest]);
  if (verb === "pip" && name === "uv") return classifyByVerb([verb, ...rest], "pip");
  const table = VERBS[name] ?? INSTALLERS;
  // `cargo watch -x test`, `cargo insta test`: commands of its own that run the tests.
  const kind = verbsOf(name, table).get(verb) ?? (name === "cargo" && rest.includes("test") ? "test" : table.otherwise);
  return toReading(kind, { name, verb, words: rest, all: words });
}

function toReading(
  kind: VerbKind,
  {
    name,
    verb,
    words,
    all,
  }: {
    readonly name: string;
    readonly verb: string;
    readonly words: readonly string[];
    readonly all: readonly string[];
  },
): CommandReading {
  switch (kind) {
    case "none":
      return reading(undefined);
    case "try":
      return { ...running(), whole: true };
    case "admin":
      return administering();
    case "fix":
      return hasWord(all, /^(?:lint|--?(?:check|diff|verify-no-changes|dry-run|set-exit-if-changed|output=none))$/)
        ? checking("lint", name)
        : rewriting(name);
    case "test":
      return checking("test", verb === "nextest" ? verb : name, packagesIn(words));
    case "lint":
      return words.includes("--fix")
        ? rewriting(name, [], { checks: true })
        : checking("lint", name === "ruff" ? name : undefined, packagesIn(words));
    default:
      return reading(
        kind === "install" && verb === "mod" && /^(?:graph|why|verify)$/.test(words[0] ?? "") ? "read" : kind,
      );
  }
}

/** Files and folders a command names, as `go test ./color/...` does; none for the project as a whole. */
function packagesIn(words: readonly string[]): readonly string[] {
  const paths = operandsOf(words).flatMap((word) => (isPath(word) ? word.replace(/\/?\.\.\.$/, "") : []));
  return paths.some((path) => path === "." || path === "./" || path === "") ? [] : paths;
}
