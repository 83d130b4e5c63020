import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { quoteForShell, shellLine, shellWords } from "./shell-words.ts";

const words = [
  "plain",
  "",
  "/home/u/.phasekit/bin/hook.cjs",
  "with space",
  "$(touch pwned)",
  "`touch pwned`",
  "$HOME ${HOME}",
  'double " quote',
  "single ' quote",
  "'\\''",
  "back\\slash\\",
  "\\",
  "new\nline",
  "tab\there",
  "; touch pwned #",
  "& | < > * ? [a] ~ {a,b}",
  "!history!",
  "%PATH% ^",
  "日本 é \u{1F600}",
  "-dash",
];

describe("shellLine", () => {
  it("hands every word to a program of sh as one argument", () => {
    const print = "process.stdout.write(JSON.stringify(process.argv.slice(1)))";
    const line = shellLine([process.execPath, "-e", print, "--", ...words]);
    expect(JSON.parse(execFileSync("sh", ["-c", line], { encoding: "utf8" }))).toEqual(words);
  });

  it.each(words)("is read back by shellWords, with %j", (word) => {
    expect(shellWords(shellLine(["/usr/bin/node", word, word, "codex"]))).toEqual([
      "/usr/bin/node",
      word,
      word,
      "codex",
    ]);
  });

  it("writes what earlier versions wrote, where that was right: Codex trusts a hook by its text", () => {
    expect(shellLine(["/usr/bin/node", "/home/u v/.phasekit/bin/hook.cjs", "codex"])).toBe(
      '"/usr/bin/node" "/home/u v/.phasekit/bin/hook.cjs" codex',
    );
  });

  it("quotes for the shells of Windows", () => {
    const path = String.raw`C:\Users\O'Neil ‘x’\100%\$(a)`;
    expect(shellLine(["node", path, "codex"], "powershell")).toBe(
      String.raw`& node 'C:\Users\O''Neil ‘‘x’’\100%\$(a)' codex`,
    );
    expect(shellLine(["node", path, "codex"], "cmd")).toBe(String.raw`node "C:\Users\O'Neil ‘x’\100"^%"\$(a)" codex`);
    expect(quoteForShell(String.raw`C:\a b\%x\ `.trim(), "cmd")).toBe(String.raw`"C:\a b\\"^%"x\\"`);
  });
});

describe("shellWords", () => {
  it.each(["node /a/hook.cjs", '"/a" && "/b"', '"/a" "/b', "'a", '"a"  "b"', "FOO=1 x"])("does not read %j", (line) => {
    expect(shellWords(line)).toBeUndefined();
  });
});
