import type { NotedError } from "@phasekit/core/account";
import { describe, expect, it } from "vitest";
import { nameCause } from "./name-cause.ts";
import { createStallState, type StallEntry, type StallState } from "./stall-state.ts";

const failing = (error: NotedError | undefined, more: Partial<StallEntry> = {}): StallEntry => ({
  about: "bash x",
  tool: "bash",
  effect: "act",
  edits: false,
  failed: true,
  repeated: false,
  waiting: false,
  gain: 0,
  turn: 1,
  answer: "",
  landings: 0,
  ...(error !== undefined && { error }),
  ...more,
});
const state = (recent: readonly StallEntry[], more: Partial<StallState> = {}): StallState => ({
  ...createStallState(),
  recent: [...recent],
  ...more,
});
const program: NotedError = { line: "javac: command not found", cause: "program", subject: "javac" };
const paths = (...names: readonly string[]): Map<string, true> => new Map(names.map((name) => [name, true]));

const again = failing(undefined, { failed: false, repeated: true });

describe("nameCause", () => {
  it.each([
    { recent: [failing(program)], cause: undefined },
    { recent: [failing(program), failing(program)], cause: "program" },
    { recent: [failing(program), failing({ ...program, subject: "mvn" })], cause: undefined },
    { recent: [failing(program), failing(program), failing(undefined, { failed: false })], cause: undefined },
    { recent: [failing(program), failing(program), failing({ ...program, subject: "mvn" })], cause: "program" },
    { recent: [failing({ line: "x" }), failing({ line: "x" })], cause: undefined },
    { recent: [again, again], cause: "unchanged" },
    { recent: [again, failing(undefined, { failed: false })], cause: undefined },
  ])("needs two equal failures, and the newest call must fail: $cause", ({ recent, cause }) => {
    expect(nameCause(state(recent))?.name).toBe(cause);
  });

  it.each([
    "prose",
    "syntax",
    "quoting",
    "format",
    "old-text",
    "ambiguous",
    "same-text",
    "program",
    "module",
    "path",
    "filter",
    "input",
    "read-only",
    "disk",
    "network",
    "permission",
  ] as const)("says what to do about %s", (cause) => {
    const error = { line: "x", cause, subject: "it" };
    expect(nameCause(state([failing(error), failing(error)]))?.text).toMatch(/^[^]*\. [A-Z][^]*\.$/);
  });

  it("names a known file for a path that does not exist", () => {
    const error: NotedError = { line: "x", cause: "path", subject: "src/cart.ts" };
    const known = paths("packages/shop/src/cart.ts", "README.md");
    expect(nameCause(state([failing(error), failing(error)], { known }))?.text).toBe(
      "`src/cart.ts` does not exist. You have seen `packages/shop/src/cart.ts`.",
    );
  });

  it.each([
    { files: ["/env/lib/shop/cart.py"], cause: "elsewhere" },
    { files: ["/srv/shop/cart.py"], cause: undefined },
    { files: ["/env/lib/shop/cart.py", "/srv/shop/cart.py"], cause: undefined },
    { files: ["/env/lib/other/cart.py"], cause: undefined },
  ])("a traceback of $files, after a change of /srv/shop/cart.py: $cause", ({ files, cause }) => {
    const error: NotedError = { line: "KeyError: 1", files };
    const edited = paths("/srv/shop/cart.py");
    expect(nameCause(state([failing(error), failing(error)], { edited }))?.name).toBe(cause);
  });

  it.each([
    { red: ["bash npm test"], edited: ["a.ts"], cause: "red-before" },
    { red: ["bash npm test"], edited: [], cause: undefined },
    { red: ["bash npm run lint"], edited: ["a.ts"], cause: undefined },
  ])("$red red before, changed $edited: $cause", ({ red, edited, cause }) => {
    const check = failing({ line: "1 failed" }, { effect: "check", about: "bash npm test" });
    const found = nameCause(state([check, check], { redBefore: paths(...red), edited: paths(...edited) }));
    expect(found?.name).toBe(cause);
  });

  it.each([
    { unmoved: 1, cause: undefined },
    { unmoved: 2, cause: "no-difference" },
  ])("$unmoved changes without a difference: $cause", ({ unmoved, cause }) => {
    const check = failing({ line: "1 failed" }, { effect: "check" });
    expect(nameCause(state([check, check], { unmoved }))?.name).toBe(cause);
  });
});
