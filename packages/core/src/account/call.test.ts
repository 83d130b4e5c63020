import { describe, expect, it } from "vitest";
import type { Meaning } from "../events/meaning.ts";
import {
  callFailed,
  callLabel,
  callWorked,
  changeLanded,
  changesOf,
  checkOf,
  type FinishedCall,
  isBeforeEdit,
  labelOf,
  readsOf,
} from "./call.ts";

const call = (meaning: Meaning, more: Partial<FinishedCall> = {}): FinishedCall => ({
  tool: "Bash",
  outcome: "ok",
  meaning,
  ...more,
});

describe("callFailed", () => {
  it.each<[string, FinishedCall, boolean]>([
    ["the host's flag decides where nothing is noted", call({}, { outcome: "error" }), true],
    ["an exit code of a tool without a reader", call({}, { exitCode: 2 }), true],
    [
      "an exit code that the reader of the shell calls an answer",
      call({ notes: { shell: true } }, { exitCode: 1 }),
      false,
    ],
    ["a failure that was noted", call({ notes: { failed: true } }), true],
    ["a success that was noted against the flag", call({ notes: { failed: false } }, { outcome: "error" }), false],
    ["tests that fail, in logs of any version", call({ tests: { verdict: "fail" } }), true],
    ["a call that was denied never ran", call({ notes: { failed: true } }, { outcome: "denied" }), false],
    ["foreign notes", call({ notes: ["x"] }), false],
  ])("%s", (_name, given, failed) => {
    expect(callFailed(given)).toBe(failed);
    expect(callWorked(given)).toBe(!failed && given.outcome !== "denied");
  });
});

describe("changes", () => {
  it.each<[string, FinishedCall, readonly string[]]>([
    ["an edit", call({ activity: "edit", targets: ["a.ts"] }), ["write a.ts"]],
    ["an edit that was sent back", call({ activity: "edit", targets: ["a.ts"] }, { outcome: "error" }), []],
    [
      "an edit that landed against the flag",
      call({ activity: "edit", targets: ["a.ts"], notes: { failed: false } }, { outcome: "error" }),
      ["write a.ts"],
    ],
    [
      "an edit in a line that failed later",
      call({ activity: "test", parts: ["edit", "test"], notes: { edits: ["a.ts"], failed: true } }),
      ["write a.ts"],
    ],
    [
      "a removal",
      call({ activity: "edit", targets: ["a.ts", "b.ts"], notes: { removes: ["b.ts"] } }),
      ["write a.ts", "remove b.ts"],
    ],
    ["files that are put back", call({ activity: "vcs-write", notes: { restores: ["a.ts"] } }), ["restore a.ts"]],
    ["the whole tree", call({ activity: "vcs-write", notes: { restores: [] } }), ["restore "]],
    ["a look", call({ activity: "read", targets: ["a.ts"] }), []],
    ["a denied edit", call({ activity: "edit", targets: ["a.ts"] }, { outcome: "denied" }), []],
  ])("%s", (_name, given, changes) => {
    expect(changesOf(given).map(({ how, path }) => `${how} ${path}`)).toEqual(changes);
    expect(changeLanded(given)).toBe(changes.some((change) => !change.startsWith("restore")));
  });
});

describe("checkOf", () => {
  it.each<[string, FinishedCall, unknown]>([
    [
      "tests",
      call({ tests: { verdict: "pass", trusted: true, passed: 3 } }),
      { kind: "test", verdict: "pass", trusted: true, passed: 3, reaches: "project" },
    ],
    [
      "tests of one file",
      call({ tests: { verdict: "pass" }, notes: { reaches: ["a.test.ts"] } }),
      { kind: "test", verdict: "pass", trusted: false, reaches: ["a.test.ts"] },
    ],
    [
      "a linter of an earlier version",
      call({ activity: "lint", notes: { check: { verdict: "fail", failed: 2 } } }),
      { kind: "lint", verdict: "fail", trusted: false, failed: 2, reaches: "project" },
    ],
    [
      "a hook that ran tests",
      call({
        activity: "vcs-write",
        tests: { verdict: "pass", trusted: true },
        notes: { check: { kind: "hook", verdict: "pass", includes: ["test"] } },
      }),
      { kind: "hook", verdict: "pass", trusted: true, includes: ["test"], reaches: "project" },
    ],
    [
      "a program that ended with 0",
      call({ activity: "run", targets: ["a.py"], notes: { program: true, exitCode: 0 } }),
      { kind: "run", verdict: "pass", trusted: true, reaches: ["a.py"] },
    ],
    [
      "a program that failed",
      call({ activity: "run", notes: { program: true, failed: true } }),
      { kind: "run", verdict: "fail", trusted: false, reaches: [] },
    ],
    ["a word that was printed", call({ activity: "run", notes: { exitCode: 0 } }), undefined],
    ["tests that were denied", call({ activity: "test" }, { outcome: "denied" }), undefined],
  ])("%s", (_name, given, check) => {
    expect(checkOf(given)).toEqual(check);
  });
});

it("a call is named by its tool and main argument", () => {
  expect(callLabel(call({ about: "Bash git fetch #1a2b" }))).toBe("Bash git fetch");
  expect(callLabel(call({ targets: ["a.ts"] }, { tool: "Read" }))).toBe("Read a.ts");
  expect(labelOf("no hash")).toBe("no hash");
});

it("a result is older than an edit behind it in the same line", () => {
  expect(isBeforeEdit({ parts: ["test", "edit"] }, "test")).toBe(true);
  expect(isBeforeEdit({ parts: ["edit", "test"] }, "test")).toBe(false);
  expect(readsOf({ activity: "read", targets: ["a.ts"] })).toEqual(["a.ts"]);
});
