import { createRun, replayRun, type RunEvent } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { startRun, tell } from "../test/case-driver.ts";
import { aboutPart, fingerprintCall, labelOf } from "./fingerprint.ts";
import { fingerprints } from "./fingerprints.ts";
import { sameResult } from "./same-result.ts";

const print = (input: unknown): string => fingerprintCall({ tool: "t", input });

describe("fingerprintCall", () => {
  it.each<{ readonly name: string; readonly one: unknown; readonly two: unknown; readonly same: boolean }>([
    { name: "order of members", one: { a: 1, b: { c: 2, d: 3 } }, two: { b: { d: 3, c: 2 }, a: 1 }, same: true },
    { name: "order in lists", one: { a: [1, 2] }, two: { a: [2, 1] }, same: false },
    { name: "-0 and 0", one: { a: -0 }, two: { a: 0 }, same: true },
    { name: "NaN", one: { a: NaN }, two: { a: NaN }, same: true },
    { name: "a missing and an undefined member", one: { a: 1, b: undefined }, two: { a: 1 }, same: true },
    { name: "JSON text and the object it stands for", one: `{"a": 1}`, two: { a: 1 }, same: true },
    { name: "number and text", one: { a: 1 }, two: { a: "1" }, same: false },
    { name: "a time-out", one: { command: "ls", timeout: 1 }, two: { command: "ls" }, same: true },
    { name: "one character in ten thousand", one: { content: `${"x".repeat(9000)}a${"x".repeat(999)}` }, two: { content: `${"x".repeat(9000)}b${"x".repeat(999)}` }, same: false },
    { name: "another page", one: { path: "a", offset: 0 }, two: { path: "a", offset: 100 }, same: false },
  ])("$name: same is $same", ({ one, two, same }) => {
    expect(print(one) === print(two)).toBe(same);
  });

  it("survives depth, size and circles", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(print(circle)).toContain("t ");
    expect(print({ list: Array.from({ length: 1_000_000 }, (_, n) => n) }).length).toBeLessThan(60);
  });

  it("looks at the size and both ends of bytes, not at millions of them", () => {
    const bytes = (change: (data: Uint8Array) => void = () => undefined, length = 5_000_000): Uint8Array => {
      const data = new Uint8Array(length);
      change(data);
      return data;
    };
    const plain = print({ image: bytes() });
    // What is in the middle is never looked at, so it cannot tell two of them apart.
    expect(print({ image: bytes((data) => { data[2_500_000] = 1; }) })).toBe(plain);
    expect(print({ image: bytes((data) => { data[10] = 1; }) })).not.toBe(plain);
    expect(print({ image: bytes((data) => { data[4_999_990] = 1; }) })).not.toBe(plain);
    expect(print({ image: bytes(undefined, 4_999_999) })).not.toBe(plain);
    expect(print({ image: bytes().buffer })).toBe(plain);
    expect(print({ image: new DataView(bytes().buffer, 1) })).not.toBe(plain);
    expect(print(bytes())).not.toBe(print(bytes((data) => { data[0] = 1; })));
  });

  it("drops the arguments it is told to", () => {
    const options = { drop: new Set(["step"]) };
    expect(fingerprintCall({ tool: "t", input: { a: 1, step: 1 } }, options)).toBe(fingerprintCall({ tool: "t", input: { a: 1, step: 2 } }, options));
  });

  it("can be read", () => {
    const fingerprint = fingerprintCall({ tool: "bash", input: { command: "npm test" } });
    expect(labelOf(fingerprint)).toBe("bash npm test");
    expect(aboutPart(fingerprint)).not.toContain("npm");
  });
});

describe("sameResult", () => {
  it.each<{ readonly one: string; readonly two: string; readonly same: boolean }>([
    { one: "2026-01-01T00:00:00Z ok", two: "2026-02-02 03:04:05 ok", same: true },
    { one: "done in 1.2s", two: "done in 340 ms", same: true },
    { one: "pid 12 at 0x7ffe01", two: "pid 934 at 0x7f1102", same: true },
    { one: "commit 1a2b3c4d", two: "commit 9f8e7d6c", same: true },
    { one: "/tmp/abc/out.txt", two: "/tmp/xyz/out.txt", same: true },
    { one: "\u001b[31mred\u001b[0m", two: "red", same: true },
    { one: "step 3 of 40", two: "step 4 of 40", same: false },
    { one: "50 %", two: "51 %", same: false },
    { one: "a\na\na", two: "a\na", same: true },
    { one: "a\nb", two: "a\nb\nc", same: false },
    { one: `{"ok":true,"id":"m1"}`, two: `{"ok":true,"id":"m2"}`, same: true },
    { one: `{"ids":[{"id":1}]}`, two: `{"ids":[{"id":2}]}`, same: false },
    { one: "x <phasekit>\nyou repeat\n</phasekit>", two: "x", same: true },
  ])("$one / $two: $same", ({ one, two, same }) => {
    const kept = (words: string) => ({ fingerprint: "", text: words, value: undefined });
    expect(sameResult(kept(one), kept(two))).toBe(same);
    expect(sameResult(kept(two), kept(one))).toBe(same);
  });
});

describe("fingerprints", () => {
  it.each([
    { name: "bytes", wrap: (data: Uint8Array): unknown => data },
    { name: "bytes in a member", wrap: (data: Uint8Array): unknown => ({ type: "image", data }) },
  ])("sees a change in $name, wherever in their first kilobytes it is", ({ wrap }) => {
    const { run, log } = startRun();
    for (const value of [3, 3, 4]) tell(run, { type: "tool", name: "take_picture", args: {}, ok: true, output: wrap(new Uint8Array(20_000).fill(value, 4000, 4001)) });
    expect(log.flatMap((event) => (event.type === "tool.finished" ? [event.meaning.moved] : []))).toEqual([undefined, false, true]);
  });

  it("says whether a repeated call moved, also after a resume", () => {
    const options = { id: "r", interpret: fingerprints() };
    const run = createRun(options);
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    const tell = (on: typeof run, output: string) => on.record({ type: "tool.finished", tool: "look", input: { a: 1 }, outcome: "ok", output });
    for (const output of ["x", "x", "y"]) tell(run, output);
    const again = replayRun(log, options).run;
    const later: RunEvent[] = [];
    again.subscribe((step) => later.push(...step));
    for (const output of ["y", "z"]) tell(again, output);
    const moved = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === "tool.finished" ? [event.meaning.moved] : []));
    expect(moved(log)).toEqual([undefined, false, true]);
    expect(moved(later)).toEqual([false, true]);
  });

  it("gives a call one identity from its request to its result, however long the input", () => {
    const run = createRun({ interpret: fingerprints() });
    const log: RunEvent[] = [];
    run.subscribe((step) => log.push(...step));
    for (const call of ["1", "2"]) {
      run.record({ type: "tool.requested", call, tool: "write", input: { path: "a", content: "x".repeat(50_000) } });
      run.record({ type: "tool.finished", call, outcome: "ok", output: "written" });
    }
    const meanings = log.flatMap((event) => (event.type === "tool.requested" || event.type === "tool.finished" ? [event.meaning] : []));
    expect(new Set(meanings.map(({ fingerprint }) => fingerprint)).size).toBe(1);
    expect(meanings.at(-1)?.moved).toBe(false);
  });
});
