// Lines that are right by the grammar of the shell, made from a seed: the same seed gives the same line.

const WORDS = [
  "npm",
  "test",
  "a.ts",
  "'a b'",
  '"x y"',
  "$HOME",
  "${A:-b}",
  "--flag=1",
  "-n",
  "src/**/*.ts",
  "$(git rev-parse HEAD)",
  "`date`",
  '"$(cat f)"',
  "a\\ b",
  "1",
  "2",
  "{a,b}",
  "$'x\\n'",
  "*.py",
  "'it'\\''s'",
  '"a\\"b"',
  "$((1+2))",
  "<(ls)",
  "[a]",
  "x=1",
  "''",
  "~/.x",
  "%s",
  "@",
  "été",
  "if",
  "done",
];
const PROGRAMS = ["npm", "git", "cat", "echo", "pytest", "./run.sh", "sed"];
const REDIRECTS = [" > out.txt", " 2>&1", " >> log", " 2>/dev/null", " &> all.log", " < in.txt", " >&2", " <<< word"];

/** A command line for a seed: lists, pipes, groups, branches, loops, quotes, substitutions, redirections, heredocs. */
export function generateLine(seed: number): string {
  let state = seed;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  const pick = (items: readonly string[]): string => items[below(items.length)] ?? "";
  const several = (most: number, make: () => string): string => Array.from({ length: below(most + 1) }, make).join("");

  const simple = (): string =>
    `${below(8) === 0 ? "A=1 " : ""}${pick(PROGRAMS)}${several(3, () => ` ${pick(WORDS)}`)}${below(5) === 0 ? pick(REDIRECTS) : ""}`;
  const command = (depth: number): string => {
    switch (depth <= 0 ? 0 : below(12)) {
      case 1:
        return `(${list(depth - 1)})`;
      case 2:
        return `{ ${list(depth - 1)}; }`;
      case 3:
        return `if ${list(depth - 1)}; then ${list(depth - 1)}; ${below(2) === 0 ? "" : `else ${list(depth - 1)}; `}fi`;
      case 4:
        return `for x in a b; do ${list(depth - 1)}; done`;
      case 5:
        return `while ${simple()}; do ${list(depth - 1)}; done`;
      case 6:
        return `case $x in a) ${list(depth - 1)};; *) ${simple()};; esac`;
      case 7:
        return `! ${simple()}`;
      default:
        return simple();
    }
  };
  const pipeline = (depth: number): string =>
    `${command(depth)}${below(2) === 0 ? "" : several(2, () => ` | ${command(0)}`)}`;
  const chain = (depth: number): string =>
    `${pipeline(depth)}${below(2) === 0 ? "" : several(2, () => `${pick([" && ", " || "])}${pipeline(depth - 1)}`)}`;
  function list(depth: number): string {
    return `${chain(depth)}${several(2, () => `${pick(["; ", "\n", " & "])}${chain(depth)}`)}`;
  }
  return `${list(2)}${below(10) === 0 ? "\ncat <<'EOF' > f.txt\nhello; $(x)\nEOF\necho done" : ""}`;
}
