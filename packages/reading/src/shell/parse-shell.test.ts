import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { generateLine } from "./__fixtures__/generate-line.ts";
import { readWithUnbash } from "./__fixtures__/read-with-unbash.ts";
import { parseShell, type ShellLine } from "./parse-shell.ts";

const commandsOf = ({ commands }: ShellLine) =>
  commands.map(({ words, writes, input, piped, decides }) => ({
    words,
    writes,
    input: input?.trimEnd(),
    piped,
    decides,
  }));

const differs = (line: string): boolean =>
  JSON.stringify(commandsOf(parseShell(line))) !== JSON.stringify(commandsOf(readWithUnbash(line)));

describe("parseShell", () => {
  it("sees what another parser sees in 4,000 generated lines", () => {
    const lines = Array.from({ length: 4000 }, (_none, seed) => generateLine(seed + 1));
    expect(lines.filter(differs)).toEqual([]);
  });

  const data = join(
    process.env["PHASEKIT_DATA"] ?? join(import.meta.dirname, "../../../../../shared/data"),
    "trajectories",
  );

  // What follows an editor's `edit 1:2` is text, and a line nobody closed has no one reading.
  it.skipIf(!existsSync(data))("sees what another parser sees in the commands of recorded runs", () => {
    const lines = [...recordedCommands(data)].filter((line) => line.length < 4000 && !/^\s*edit \d/.test(line));
    expect(lines.length).toBeGreaterThan(300);
    // Statuses that are kept in a variable and given back at the end are read by us alone.
    expect(lines.filter(differs).filter((line) => !/\$\?|PIPESTATUS|\|\| (?:exit|\{)/.test(line))).toEqual([]);
  });

  it.each([
    [".\\gradlew.bat test", [".\\gradlew.bat", "test"]],
    ["C:\\x\\y.exe -m a", ["C:\\x\\y.exe", "-m", "a"]],
    ["find . -name \\*.ts", ["find", ".", "-name", "*.ts"]],
    ["echo a\\ b", ["echo", "a b"]],
    ["echo $'a\\nb'", ["echo", "a\nb"]],
    ['echo "a\\"b"', ["echo", 'a"b']],
    ["echo ''", ["echo", ""]],
    ["echo {a,b} ${x:-y} $((1 + 2))", ["echo", "{a,b}", "${x:-y}", "$((1 + 2))"]],
  ])("%s", (line, words) => {
    expect(parseShell(line).commands.map((command) => command.words)).toEqual([words]);
  });

  it("takes the text of a heredoc, and what follows it", () => {
    expect(commandsOf(parseShell("cat > a <<'X' && b\n1; $(c)\nX\nd <<-Y\n\t2\n\tY\ne"))).toMatchObject([
      { words: ["cat"], writes: ["a"], input: "1; $(c)" },
      { words: ["b"] },
      { words: ["d"], input: "\t2" },
      { words: ["e"] },
    ]);
  });

  it("runs a function where it is called, and no deeper than is sensible", () => {
    expect(parseShell("f() { f; g; }; f").commands.length).toBeLessThan(10);
  });
});

/** Every text under the name of a command argument, in whatever JSON it stands. */
function* recordedCommands(folder: string): Generator<string> {
  const seen = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!/\.jsonl?$/.test(file)) continue;
    const text = readFileSync(join(folder, file), "utf8");
    for (const [, raw = ""] of text.matchAll(/"(?:command|cmd)":\s*"((?:[^"\\]|\\.)*)"/g)) {
      const line = JSON.parse(`"${raw}"`) as string;
      if (!seen.has(line) && / /.test(line)) yield line;
      seen.add(line);
    }
  }
}
