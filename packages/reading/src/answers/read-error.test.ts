import { describe, expect, it } from "vitest";
import { readError } from "./read-error.ts";

describe("readError", () => {
  it.each([
    ["bash: line 1: javac: command not found", "program", "javac"],
    ["sh: 1: vitest: not found", "program", "vitest"],
    ["'mvn' is not recognized as an internal or external command,\noperable program or batch file.", "program", "mvn"],
    ["Error: spawn rg ENOENT", "program", "rg"],
    [
      "Traceback (most recent call last):\n  File \"a.py\", line 1\nModuleNotFoundError: No module named 'yaml'",
      "module",
      "yaml",
    ],
    ["Error: Cannot find module 'express'\nRequire stack:\n- /p/a.js", "module", "express"],
    ["Error: Cannot find module '/p/scripts/build.js'", "path", "/p/scripts/build.js"],
    ["Error: ENOENT: no such file or directory, open '/p/missing.json'", "path", "/p/missing.json"],
    ["cat: src/nope.ts: No such file or directory", "path", "src/nope.ts"],
    ["ls: cannot access 'src/nope': No such file or directory", "path", "src/nope"],
    ["FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", "path", "data.csv"],
    ["ERROR: No replacement was performed, old_str `x` did not appear verbatim in /p/a.py.", "old-text", undefined],
    ["No replacement was performed. Multiple occurrences of old_str `x` in lines [1, 9].", "ambiguous", undefined],
    ["Found 3 matches of the string to replace, but replace_all is false.", "ambiguous", undefined],
    ["No replacement was performed. `new_str` and `old_str` must be different.", "same-text", undefined],
    ["No changes to make: old_string and new_string are exactly the same.", "same-text", undefined],
    ["zsh: command not found: pytest", "program", "pytest"],
    ["Error: String to replace not found in file.\nString: foo", "old-text", undefined],
    ["error: cannot open '.git/FETCH_HEAD': Read-only file system", "read-only", undefined],
    ["OSError: [Errno 28] No space left on device", "disk", undefined],
    ["fatal: unable to access 'https://x/': Could not resolve host: x", "network", undefined],
    ["mkdir: cannot create directory '/opt/x': Permission denied", "permission", undefined],
    ["Your proposed edit has introduced new syntax error(s). Please read this.", "syntax", undefined],
    ["bash: line 2: unexpected EOF while looking for matching `''", "quoting", undefined],
    ["Thought or action not provided in the correct format. Please retry.", "format", undefined],
    ["/bin/bash: line 3: cd: fastxml: No such file or directory", "path", "fastxml"],
    ["Error: JAVA_HOME is not defined correctly.", "program", "JAVA_HOME"],
    ["EOFError: EOF when reading a line", "input", undefined],
    ["Overwrite existing file? [y/N] ", "input", undefined],
    ["collected 0 items / 3 deselected", "filter", undefined],
    ["No tests found, exiting with code 1", "filter", undefined],
    ["AssertionError: expected 3 to be 4", undefined, undefined],
  ])("%j shows %s", (text, cause, subject) => {
    const error = readError(text);
    expect([error?.cause, error?.subject]).toEqual([cause, subject]);
  });

  it.each([
    ["The file looks good, so I will now run the tests", "bash: The: command not found", "prose"],
    ["Now let me check the other tests.", "bash: Now: command not found", "prose"],
    ["Rscript analyze.R --quiet", "bash: Rscript: command not found", "program"],
    ["MAKE all the targets", "bash: MAKE: command not found", "program"],
  ])("%j in a shell shows %3$s", (asked, text, cause) => {
    expect(readError(text, asked)?.cause).toBe(cause);
  });

  it.each([
    [
      'Traceback (most recent call last):\n  File "/p/a.py", line 3, in <module>\n    f()\nValueError: bad total',
      "ValueError: bad total",
    ],
    [
      "npm error code ELIFECYCLE\nnpm error errno 2\n\nsrc/a.ts(3,1): error TS2304: Cannot find name 'x'.",
      "src/a.ts(3,1): error TS2304: Cannot find name 'x'.",
    ],
    [
      "node:internal/modules/cjs/loader:1568\n  throw err;\n  ^\n\nError: Cannot find module './x'",
      "Error: Cannot find module './x'",
    ],
    ["Failed with error:\nbad header in column 3", "bad header in column 3"],
    ["3 problems", "3 problems"],
  ])("quotes the line that says most", (text, line) => {
    expect(readError(text)?.line).toBe(line);
  });

  it("names the files of a traceback, without libraries", () => {
    const text =
      'Traceback (most recent call last):\n  File "/p/run.py", line 3, in <module>\n' +
      '  File "/usr/lib/python3.9/json.py", line 1\n' +
      '  File "/q/site-packages/x.py", line 1\n  File "/p/shop/cart.py", line 9, in total\nKeyError: 1';
    expect(readError(text)?.files).toEqual(["/p/run.py", "/p/shop/cart.py"]);
    expect(readError("TypeError: x\n    at total (/p/src/cart.js:3:9)\n    at node:internal/x:1:1")?.files).toEqual([
      "/p/src/cart.js",
    ]);
  });

  it("has nothing to say about an empty answer", () => {
    expect(readError(" \n ")).toBeUndefined();
  });

  it("tells a sentence sent to a shell, also below a heading, from a query", () => {
    const failed = "bash: DISCUSSION: command not found";
    expect(readError(failed, "DISCUSSION\nThese errors persist. The shell may be broken, so look at it.")?.cause).toBe(
      "prose",
    );
    expect(readError("no such column: name", "SELECT name FROM users WHERE age")?.cause).toBeUndefined();
  });

  it("takes no piece of a text of several lines for a program", () => {
    const text = "/bin/bash: line 9: pplication: command not found";
    expect(readError(text, "edit 1:1\n# Application config\nend")?.cause).toBeUndefined();
    expect(readError("bash: line 2: mvn: command not found", "cd app\nmvn test")?.cause).toBe("program");
    expect(readError("sh: 1: jest: not found", "npm test")?.cause).toBe("program");
  });
});
