/** Fragments that open, close or separate something for one of our readers; repeated, they provoke re-reading. */
export const fragments: readonly string[] = [
  // Quotes, brackets, separators.
  ...['"', "'", "`", "(", ")", "[", "]", "{", "}", "<", ">", "&", "|", ";", ":", ",", ".", "/", "\\", "#", "$", "="],
  ...["-", "_", "*", "~", "!", "@", "%", "^", "+", "?", " ", "\n", "\t", "\r\n", "\0"],
  // Words, digits, letters with meaning to normalizers.
  ...["a", "A", "1", "0x1f", "a1", "a-", "1.", "1:", "1,", "word ", "12:34:56 ", "2024-01-01T00:00:00Z ", "1s", "id="],
  ...["pid 1 ", "line 1 ", "/tmp/a", "a.ts:1:", "a@b.c", "deadbeef", "Mon ", "Jan 1 ", "request id ", "3 passed "],
  // Shell.
  ...["$(", "`a ", "<(", '"$(', '"$(eval a ', '"$(ssh a ', '"$(bash -c ', "<(bash -c ", "<(eval a ", "$(eval a "],
  ...["eval ", "bash -c '", 'bash -c "', "&&", "||", "a|", "a&", "a;", "a && ", "a || ", "|&", ";;", "{ ", "( ", "${"],
  ...[
    "if a; then ",
    "while a; do ",
    "case a in a) ",
    "for a in b; do ",
    "f() { ",
    "function f { ",
    "[[ ",
    "! ",
    "time ",
  ],
  ...["<<E\n", "<<E ", "cat <<'E' > a\n", "E\n", "<<< ", "> a ", "2>&1 ", "a=1 ", "a=(", "a=$(", "sudo ", "xargs "],
  ...["alias a=b ", "set -e;", "sed -i s/a/b/ a;", "python -c '", "*** Update File: a\n", "powershell { ", "$'\\"],
  // Markdown and HTML.
  ...["# a\n", "a\n=\n", "a\n-\n", "- a\n", "1. a\n", "> ", ">", "*a_", "**a", "[a](", "![a](", "[a]: b\n", "```\n"],
  ...["~~~\n", "|a|\n|-|\n", "<a", "</a", "<!--", "-->", "<a>", "</a>", "&lt;", "<script>", "---\n", "  \n", "\t- "],
  ...["- [ ] a\n", "<phasekit>", "</phasekit>", "diff --git a/a b/a\n", "@@ -1 +1 @@\n", "+a\n"],
  // Terminals, Unicode.
  ...["\x1b[", "\x1b[31m", "\x1b]0;", "\x9b", "\u0301", "\u200b", "\u202e", "😀", "é", "İ", "\ud800", "¤", "\uFEFF"],
  // JSON, Python, XML of logs.
  ...['{"a":', "[[", '{"', '{"a":1}', '{"a":1}\n', '"a",', "\\u0061", '\\"', "{'a': ", "True,", "null,", '{"type":'],
  // Test output.
  ...["FAILED a::b\n", "ok 1 - a\n", "not ok 1 - a\n", "1 failed, ", "Tests: 1 failed\n", "--- FAIL: a\n", "✓ a\n"],
  ...[
    "E   assert a\n",
    "    at a (b:1:1)\n",
    "error: a\n",
    "Traceback ",
    "FAIL ",
    "PASS ",
    "===== ",
    "test a ... ok\n",
  ],
  // Secrets.
  ...["password=", "Bearer ", "https://a:b@", "-----BEGIN ", "sk-", "AKIA", "eyJ", "eyJa.", "ghp_", "key: "],
];

/** Closing texts of fragments that open something. */
const closers: Readonly<Record<string, string>> = {
  "(": ")",
  "[": "]",
  "{": "}",
  "<": ">",
  "$(": ")",
  '"$(': ')"',
  "<(": ")",
  "${": "}",
  "{ ": "; }",
  "( ": ")",
  "if a; then ": "; fi",
  "while a; do ": "; done",
  "for a in b; do ": "; done",
  "case a in a) ": ";; esac",
  "f() { ": "; }",
  "[[": "]]",
  '{"a":': "}",
  "<a>": "</a>",
  "<!--": "-->",
  "> ": "\n",
  "**a": "**",
  "[a](": ")",
  "{'a': ": "}",
};

/** Beginnings that switch a reader into a mode before the run of fragments comes. */
const heads: readonly string[] = [
  "cat <<'E' > a\nx\nE\n",
  "cat <<E; ",
  "bash -c '",
  'a "',
  "pytest ",
  "git apply <<E\n",
  "edit 1:2\n",
  "# a\n",
  "---\nphase: a\n---\n",
  "```\n",
  "<div>",
  '{"messages":[{"role":"user","content":"',
  '{"type":"user","message":{"role":"user","content":"',
  "Error: ",
  "Traceback (most recent call last):\n",
  "aider chat started at 2024-01-01 00:00:00\n",
];

/** A hostile text of any length, with a name that says how to make it again. */
export interface HostileText {
  readonly name: string;
  readonly make: (length: number) => string;
}

/** A fragment repeated alone, and closed again where something closes it. */
function repeated(fragment: string): readonly HostileText[] {
  const closer = closers[fragment];
  const open = { name: JSON.stringify(fragment), make: (length: number) => fill(fragment, length) };
  if (closer === undefined) return [open];
  return [
    open,
    {
      name: `${JSON.stringify(fragment)} closed by ${JSON.stringify(closer)}`,
      make: (length) => {
        const count = Math.ceil(length / (fragment.length + closer.length));
        return fragment.repeat(count) + closer.repeat(count);
      },
    },
  ];
}

/** A run of a fragment between a letter and a mark: a pattern that began to match fails at its end. */
function enclosed(fragment: string): HostileText {
  return { name: `a ${JSON.stringify(fragment)} !`, make: (length) => `a${fill(fragment, length)}!` };
}

/** Two fragments in turns. */
function paired(first: string, second: string): HostileText {
  return { name: JSON.stringify([first, second]), make: (length) => fill(first + second, length) };
}

/** A run of one fragment, then a run of another: what a pattern with two repetitions backtracks on. */
function followed(first: string, second: string): HostileText {
  return {
    name: `${JSON.stringify(first)} then ${JSON.stringify(second)}`,
    make: (length) => fill(first, length / 2) + fill(second, length / 2),
  };
}

/** A run of fragments behind a beginning. */
function headed(head: string, fragment: string): HostileText {
  return {
    name: `${JSON.stringify(head)} before ${JSON.stringify(fragment)}`,
    make: (length) => head + fill(fragment, length),
  };
}

/** The grid that runs with the tests: every fragment alone, and a fixed sample of the combinations. */
export function boundedGrid({ combinations = 120 }: { readonly combinations?: number } = {}): readonly HostileText[] {
  const grid = [...fragments.flatMap(repeated), ...fragments.map(enclosed)];
  const any = createPicker(7);
  for (let index = 0; index < combinations; index += 1) grid.push(anyCombination(any));
  return grid;
}

/** Every fragment alone, every head, then combinations without an end. */
export function* endlessSearch(seed: number): Generator<HostileText, never> {
  for (const fragment of fragments) yield* [...repeated(fragment), enclosed(fragment)];
  for (const head of heads) for (const fragment of fragments) yield headed(head, fragment);
  const any = createPicker(seed);
  for (;;) yield anyCombination(any);
}

type Picker = <T>(list: readonly T[]) => T;

function anyCombination(any: Picker): HostileText {
  const first = any(fragments);
  const second = any(fragments);
  switch (any(["paired", "paired", "followed", "headed", "three"] as const)) {
    case "paired":
      return paired(first, second);
    case "followed":
      return followed(first, second);
    case "headed":
      return headed(any(heads), first + second);
    case "three":
      return paired(first + second, any(fragments));
  }
}

/** Picks that are equal for one seed on every machine. */
function createPicker(seed: number): Picker {
  let state = seed;
  return (list) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const found = list[Math.floor((state / 2 ** 32) * list.length)];
    if (found === undefined) throw new Error("Nothing to pick from.");
    return found;
  };
}

function fill(fragment: string, length: number): string {
  return fragment.repeat(Math.ceil(length / fragment.length));
}
