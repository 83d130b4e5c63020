import { isPhasekitError } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { parseConfig } from "./parse-config.ts";

const problemOf = (text: string, file: string): string => {
  try {
    parseConfig(text, file);
    return "";
  } catch (error) {
    return isPhasekitError(error, "BAD_CONFIG") ? error.message.replace(/^Invalid config ".*?" — /, "") : String(error);
  }
};

describe("parseConfig", () => {
  const all = {
    runs: "a",
    logs: ["b"],
    contracts: "c",
    policy: "coding",
    check: { without: ["no-loop"], maxTurns: 1, maxTokens: 2, maxWastedCalls: 3 },
    database: "postgres://x/y",
  };

  it.each(["json", "jsonc", "yaml", "yml"])("parseConfig reads every key from .%s", (ending) => {
    expect(parseConfig(JSON.stringify(all), `phasekit.config.${ending}`)).toEqual(all);
  });

  it("parseConfig accepts comments and trailing commas in .jsonc, and keeps strings", () => {
    const text = '\uFEFF{ // one\n "runs": "a // b", /* two\n */ "logs": ["/* c */", "d,]",], }';
    expect(parseConfig(text, "c.jsonc")).toEqual({ runs: "a // b", logs: ["/* c */", "d,]"] });
    expect(problemOf(text, "c.json")).toMatch(/^line 1, column \d+: /);
  });

  it("parseConfig reads an empty YAML file as an empty config", () => {
    expect(parseConfig("# nothing\n", "c.yaml")).toEqual({});
  });

  it.each([
    [
      "c.yaml",
      "runs: a\nrunz: b\n",
      'line 2, column 1: unknown key "runz"; known keys: runs, logs, contracts, policy, check, mode, gates, database',
    ],
    ["c.yaml", "check:\n  maxTurn: 1\n", 'line 2, column 3: unknown key "check.maxTurn"'],
    ["c.yaml", "check:\n  maxTurns: -1\n", /^line 2, column 3: "check\.maxTurns": /],
    ["c.yaml", "logs:\n  - a\n  - 5\n", /^line 3, column 5: "logs\.1": /],
    ["c.yaml", "a: b: c\n", /^line 1, column /],
    ["c.yaml", "runs: a\nruns: b\n", /^line 2, column 1: /],
    ["c.yaml", "- a\n", /^"\.": /],
    ["c.json", '{\n  "run": {}\n}', /^line 2, column 3: "run" needs a code config/],
    ["c.json", '{\n  "worker": {}\n}', /^line 2, column 3: "worker" needs a code config/],
    ["c.json", "5", /^"\.": /],
    ["c.json", "{", /./],
    ["c.json", '{"__proto__": {"runs": "x"}}', /unknown key "__proto__"/],
    ["c.json", " ".repeat(10_001), "it has more than 10000 characters"],
    ["c.yaml", "runs: a\n? ? ? ? ? ? ? ? ? ?\n", /^line 1, column \d+: explicit keys/],
  ])("parseConfig rejects %s with %j and names the place", (file, text, problem) => {
    if (typeof problem === "string") expect(problemOf(text, file)).toBe(problem);
    else expect(problemOf(text, file)).toMatch(problem);
  });

  it("parseConfig does not expand an alias bomb", () => {
    const lines = ["a0: &a0 [x, x]"];
    for (let n = 1; n < 30; n += 1)
      lines.push(`a${String(n)}: &a${String(n)} [*a${String(n - 1)}, *a${String(n - 1)}]`);
    expect(problemOf(lines.join("\n"), "c.yaml")).not.toBe("");
  });

  it.each([
    ["c.jsonc", "/*"],
    ["c.jsonc", '"'],
    ["c.jsonc", ",\n"],
    ["c.jsonc", "// "],
    ["c.json", "["],
    ["c.yaml", "- "],
    ["c.yaml", "["],
    ["c.yaml", "a: &a "],
    ["c.yaml", "? "],
  ])("parseConfig is fast for %s of repeated %j", (file, part) => {
    const before = process.cpuUsage();
    problemOf(part.repeat(9_999 / part.length), file);
    const { user, system } = process.cpuUsage(before);
    // It is a freeze that is looked for: minutes, not seconds.
    expect((user + system) / 1_000_000).toBeLessThan(10);
  });
});
