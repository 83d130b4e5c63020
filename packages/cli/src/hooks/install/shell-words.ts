/** A shell that reads a command line: POSIX sh, PowerShell, or cmd of Windows. */
export type Shell = "sh" | "powershell" | "cmd";

/** Returns a command line that starts the first word with the others as its arguments, whatever they contain. */
export function shellLine(words: readonly string[], shell: Shell = "sh"): string {
  const line = words.map((word) => quoteForShell(word, shell)).join(" ");
  // PowerShell takes a quoted word for a text, not for a command.
  return shell === "powershell" ? `& ${line}` : line;
}

/** Words without any meaning to a shell are not quoted. */
const PLAIN = /^[a-zA-Z0-9][a-zA-Z0-9-]*$/;

/** Characters that sh does not look at between double quotes: all but these, and `!` of an interactive shell. */
const CALM = /^[^"$`\\!\n]*$/;

/** Returns a word as one argument of a command line. The only function that quotes for a shell. */
export function quoteForShell(word: string, shell: Shell): string {
  if (PLAIN.test(word)) return word;
  switch (shell) {
    case "sh":
      // Double quotes where both do: Codex trusts a hook by its text, which earlier versions wrote in this way.
      return CALM.test(word) ? `"${word}"` : `'${word.replaceAll("'", String.raw`'\''`)}'`;
    case "powershell":
      // PowerShell also takes typographic quotes for quotes.
      return `'${word.replaceAll(/['\u2018-\u201B]/g, "$&$&")}'`;
    case "cmd":
      // cmd looks for variables between quotes, too: a percent sign goes outside of them, behind a caret. A quote is
      // not possible in a path of Windows. A program reads a backslash before a quote as part of the quote.
      return `"${word
        .replaceAll('"', "")
        .replaceAll("%", '"^%"')
        .replaceAll(/\\+(?="|$)/g, "$&$&")}"`;
  }
}

const WORD = /(?:^| )(?:"([^"]*)"|'((?:[^']|'\\'')*)'|([a-zA-Z0-9][a-zA-Z0-9-]*))/y;

/** Returns the words of a command line that `shellLine` wrote for sh; undefined for any other command line. */
export function shellWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let end = 0;
  while (end < line.length) {
    WORD.lastIndex = end;
    const [matched, double, single, plain] = WORD.exec(line) ?? [];
    if (matched === undefined) return undefined;
    words.push(double ?? single?.replaceAll(String.raw`'\''`, "'") ?? plain ?? "");
    end += matched.length;
  }
  return words;
}
