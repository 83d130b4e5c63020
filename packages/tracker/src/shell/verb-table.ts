import type { Activity } from "@phasekit/core";
import { administering, asksForHelp, checking, type CommandReading, hasWord, reading, rewriting, running, verbOf } from "./command-reading.ts";

// One line for each program: verbs by what they do, `*` for all others. Besides activities there are `try` (runs a
// program), `admin` (changes something that is no file of the project), `fix` (rewrites what it checks) and `none`.
const VERBS: Readonly<Record<string, string>> = {
  cargo: "test=test t nextest tarpaulin llvm-cov|lint=clippy check c audit deny|fix=fmt|try=run r bench miri|install=add install fetch update remove vendor|read=tree expand metadata search info version locate-project pkgid|edit=new init fix|build=*",
  go: "test=test|lint=vet|fix=fmt fix generate|try=run tool|install=get install mod work|build=build|read=*",
  dotnet: "test=test vstest|install=add restore tool remove|try=run watch exec|fix=format|read=list|edit=new|build=*",
  swift: "test=test|try=run|fix=format|install=package|build=*",
  flutter: "test=test drive|lint=analyze|install=pub|try=run|read=doctor devices|build=*",
  dart: "test=test|lint=analyze|fix=format fix|install=pub|build=compile|try=*",
  deno: "test=test|lint=lint check|fix=fmt|install=install add remove cache|build=compile bundle|read=info doc types|try=*",
  playwright: "test=test|install=install install-deps|try=*",
  cypress: "test=run|install=install|try=*",
  ruff: "fix=format|lint=*",
  uv: "read=list show tree|build=build|install=*",
  poetry: "read=show check env about|build=build|install=*",
  pipenv: "read=graph check|install=*",
  pdm: "read=list show info|build=build|install=*",
  bundle: "read=show list info outdated|install=*",
  rye: "test=test|lint=lint check|fix=fmt|build=build|install=*",
  hatch: "test=test|fix=fmt|build=build|read=env status version|try=run|install=*",
  pixi: "read=list info search tree|build=build|install=*",
  docker: "build=build|read=ps images logs inspect version info stats top ls history config port diff search events|install=pull|admin=*",
  podman: "build=build|read=ps images logs inspect version info stats top ls history port diff search|install=pull|admin=*",
  kubectl: "read=get describe logs explain version top api-resources config|admin=*",
  svn: "vcs-read=status st log diff info cat blame annotate ls list|vcs-write=*",
  hg: "vcs-read=status st log diff cat blame annotate summary id heads parents|vcs-write=*",
  nix: "build=build|read=eval search show flake path-info log|lint=check|fix=fmt|try=run|install=*",
  nixfmt: "fix=*",
  terraform: "test=test|lint=validate|read=plan show output state providers graph version|fix=fmt|install=init get|admin=*",
  tofu: "test=test|lint=validate|read=plan show output state|fix=fmt|install=init|admin=*",
  pulumi: "read=preview stack config whoami logs|admin=*",
  tmux: "read=capture-pane capturep ls list-sessions list-windows list-panes display-message|admin=*",
  helm: "test=test|lint=lint|read=list ls get status history show search env version|try=template|install=dependency dep repo pull|admin=*",
};

/** All programs that install: looking up what there is installs nothing. */
const INSTALLERS = "read=list show search info freeze check policy ls outdated config env current versions which view index|none=activate deactivate use shell init|install=*";

const tables = new Map<string, ReadonlyMap<string, string>>();

function tableOf(name: string): ReadonlyMap<string, string> {
  let table = tables.get(name);
  if (table === undefined) {
    table = new Map((VERBS[name] ?? INSTALLERS).split("|").flatMap((entry) => {
      const [kind = "", verbs = ""] = entry.split("=");
      return verbs.split(" ").map((verb) => [verb, kind] as const);
    }));
    tables.set(name, table);
  }
  return table;
}

/** Programs that are read by their verb. */
export const VERB_PROGRAMS: readonly string[] = Object.keys(VERBS);

/** Reads `cargo test`, `docker ps`, `pip list` by the verb. */
export function classifyByVerb(words: readonly string[], name: string): CommandReading {
  let [verb = "", ...rest] = verbOf(words);
  if (verb === "" || asksForHelp(words)) return reading(words.length === 1 && name !== "docker" ? "run" : "read");
  if ((name === "docker" || name === "podman") && /^(?:compose|container|image|buildx|volume|network)$/.test(verb)) [verb = "", ...rest] = verbOf([verb, ...rest]);
  if (verb === "pip" && name === "uv") return classifyByVerb([verb, ...rest], "pip");
  const table = tableOf(name);
  // `cargo watch -x test`, `cargo insta test`: commands of its own that run the tests.
  const kind = table.get(verb) ?? (name === "cargo" && rest.includes("test") ? "test" : (table.get("*") ?? "run"));
  return toReading(kind, { name, verb, words: rest, all: words });
}

function toReading(kind: Activity, { name, verb, words, all }: { readonly name: string; readonly verb: string; readonly words: readonly string[]; readonly all: readonly string[] }): CommandReading {
  switch (kind) {
    case "none":
      return reading(undefined);
    case "try":
      return running();
    case "admin":
      return administering();
    case "fix":
      return hasWord(all, /^(?:lint|--?(?:check|diff|verify-no-changes|dry-run|set-exit-if-changed|output=none))$/) ? checking("lint", name) : rewriting(name);
    case "test":
      return checking("test", verb === "nextest" ? verb : name);
    case "lint":
      return words.includes("--fix") ? rewriting(name) : checking("lint", name === "ruff" ? name : undefined);
    default:
      return reading(kind === "install" && verb === "mod" && /^(?:graph|why|verify)$/.test(words[0] ?? "") ? "read" : kind);
  }
}
