const FLAG =
  /^(?:-k|-t|-g|--grep|--filter|--testNamePattern|--testPathPattern|-run|--test|--tests|--only|-Dtest)(?:=(.+))?$/;

/** The part of the tests that a command line asks for; `undefined` if it runs all of them. */
export function testFilterOf(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const found = FLAG.exec(word);
    if (found !== null) return found[1] ?? words[index + 1] ?? word;
  }
  const [program = "", verb = "", ...rest] = words;
  const named = rest.filter((word) => !word.startsWith("-"));
  // `go test ./money` and `cargo test money` name packages and tests; `./...` is all of them.
  if (/(?:^|\/)(?:go|cargo)$/.test(program) && verb === "test") return named.find((word) => !word.endsWith("..."));
  // Words behind `--` go to the runner.
  const behind = words.indexOf("--");
  return behind < 0 ? undefined : words.slice(behind + 1).find((word) => !word.startsWith("-"));
}
