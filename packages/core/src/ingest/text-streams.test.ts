import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { firstOf } from "../policies/combinators/first-of.ts";
import { alert } from "../policies/decision.ts";
import { definePolicy, type Policy, type TextFinding } from "../policies/policy.ts";

/** Counts a word in the text so far, and finds it from the third time on. */
const watcher = (name = "watcher", word = "again", options: Partial<TextFinding> = { stop: true }): Policy =>
  definePolicy({
    name,
    watchText: () => {
      let text = "";
      return {
        push: (piece) => {
          text += piece;
          const count = text.split(word).length - 1;
          return count >= 3 ? { kind: "repetition", signature: word, count, ...options } : undefined;
        },
      };
    },
    decide: {
      "message.sent": (_run, _state, { found = [] }) => (found.length > 0 ? alert({ kind: "repetition" }) : undefined),
    },
  });
const TEXT = "again and ".repeat(80);

describe("streamed text", () => {
  it("streamed text makes no events; findings are stored with the message, where policies decide on them", () => {
    const { run, log, of } = loggedRun({ mode: "gate", policies: [watcher()] });
    expect(run.text("again and ")).toEqual({ stop: false });
    expect(run.text(TEXT)).toEqual({ stop: true });
    expect(log).toHaveLength(1);
    run.record({ type: "message.sent", text: TEXT });
    expect(of("message.sent")[0]?.found?.[0]).toEqual({
      policy: "watcher",
      kind: "repetition",
      signature: "again",
      count: 26,
    });
    expect(of("alert.raised")).toHaveLength(1);
  });

  it.each([1, 7, 255, 256, 257, 1000])("streamed text gives the same answer in chunks of %d", (size) => {
    const play = (chunk: number) => {
      const { run, log } = loggedRun({ mode: "gate", policies: [watcher()] });
      let stop = false;
      for (let at = 0; at < TEXT.length; at += chunk) ({ stop } = run.text(TEXT.slice(at, at + chunk)));
      run.record({ type: "message.sent", text: TEXT });
      return { stop, log: JSON.stringify(log) };
    };
    expect(play(size)).toEqual(play(TEXT.length));
  });

  it.each([
    { mode: "observe", stop: false },
    { mode: "nudge", stop: false },
    { mode: "gate", stop: true },
  ] as const)("streamed text stops in mode $mode: $stop; findings are recorded in all", ({ mode, stop }) => {
    const { run, of } = loggedRun({ mode, policies: [watcher()] });
    expect(run.text(TEXT).stop).toBe(stop);
    run.record({ type: "message.sent", text: TEXT });
    expect(of("message.sent")[0]?.found?.length).toBeGreaterThan(0);
  });

  it("streamed text does not stop for a finding that does not ask for it", () => {
    const { run } = loggedRun({ mode: "gate", policies: [watcher("w", "again", {})] });
    expect(run.text(TEXT).stop).toBe(false);
  });

  it("streamed text starts anew with every message, and keeps the messages of several agents apart", () => {
    const { run, of } = loggedRun({ mode: "gate", policies: [watcher()] });
    run.text("again again ", { stream: "a" });
    run.text("again again ", { stream: "b" });
    run.text("again again");
    run.record({ type: "message.sent", agent: "a", text: "x" });
    run.record({ type: "message.sent", agent: "b", text: "x" });
    run.record({ type: "message.sent", agent: "c", text: "x" });
    expect(of("message.sent").every(({ found }) => found === undefined)).toBe(true);
    run.text("again ".repeat(3), { stream: "a" });
    run.record({ type: "message.sent", agent: "a", text: "x" });
    expect(of("message.sent").at(-1)?.found).toHaveLength(1);
  });

  it("streamed text without a watcher, or that is not a text, does nothing", () => {
    expect(loggedRun().run.text("x")).toEqual({ stop: false });
    const { run } = loggedRun({ policies: [watcher()] });
    expect(run.text(undefined as never)).toEqual({ stop: false });
    run.record({ type: "message.sent", text: "unheard" });
  });

  it("streamed text keeps at most eight findings of a message, and sixteen open messages", () => {
    const { run, of } = loggedRun({ policies: [watcher()] });
    run.text("again ".repeat(500));
    run.record({ type: "message.sent", text: "x" });
    expect(of("message.sent")[0]?.found).toHaveLength(8);
    for (let n = 0; n < 17; n += 1) run.text("again ".repeat(20), { stream: `s${String(n)}` });
    run.record({ type: "message.sent", agent: "s0", text: "x" });
    run.record({ type: "message.sent", agent: "s1", text: "x" });
    expect(
      of("message.sent")
        .slice(1)
        .map(({ found }) => found !== undefined),
    ).toEqual([false, true]);
  });

  it("a watcher that throws is recorded with the message and left out of it; the others continue", () => {
    let pushes = 0;
    const bad = definePolicy({
      name: "bad",
      watchText: () => ({
        push: () => {
          pushes += 1;
          throw new Error("eek");
        },
      }),
    });
    const { run, of } = loggedRun({ mode: "gate", policies: [bad, watcher()] });
    expect(run.text(TEXT).stop).toBe(true);
    expect(pushes).toBe(1);
    run.record({ type: "message.sent", text: TEXT });
    expect(of("message.sent")[0]?.faults).toEqual([{ name: "bad", during: "text", message: "Error: eek" }]);
    expect(of("policy.failed")).toMatchObject([{ policy: "bad", during: "text", message: "Error: eek" }]);
  });

  it("a policy that cannot create its watcher is recorded, and after three messages not asked again", () => {
    let asked = 0;
    const bad = definePolicy({
      name: "bad",
      watchText: () => {
        asked += 1;
        throw new Error("eek");
      },
    });
    const { run, of } = loggedRun({ policies: [bad] });
    for (let n = 0; n < 6; n += 1) {
      run.text("x");
      run.record({ type: "message.sent", text: "x" });
    }
    expect(of("policy.failed")).toHaveLength(3);
    expect(asked).toBe(3);
  });

  it("streamed text is watched by all policies of a firstOf; the first finding counts", () => {
    const { run, of } = loggedRun({
      mode: "gate",
      policies: [firstOf("both", [watcher("one", "nothing"), watcher("two")])],
    });
    expect(run.text(TEXT).stop).toBe(true);
    run.record({ type: "message.sent", text: TEXT });
    expect(of("message.sent")[0]?.found?.[0]).toMatchObject({ policy: "both", signature: "again" });
  });
});

describe("the edge of a piece", () => {
  const lengths = (): { readonly policy: Policy; readonly seen: number[] } => {
    const seen: number[] = [];
    return {
      seen,
      policy: definePolicy({
        name: "lengths",
        watchText: () => ({
          push: (piece) => {
            seen.push(piece.length);
            return undefined;
          },
        }),
      }),
    };
  };

  it("a finding comes with its last character, not with the next", () => {
    const { policy, seen } = lengths();
    const { run } = loggedRun({ policies: [policy] });
    run.text("x".repeat(255));
    expect(seen).toEqual([]);
    run.text("x");
    expect(seen).toEqual([256]);
    run.text("x".repeat(512));
    expect(seen).toEqual([256, 256, 256]);
    run.record({ type: "message.sent", text: "x" });
    expect(seen).toEqual([256, 256, 256]);
  });

  it("a watcher that throws leaves the ones before and after it in place", () => {
    const [first, last] = [lengths(), lengths()];
    const failing = definePolicy({
      name: "failing",
      watchText: () => ({
        push: () => {
          throw new Error("no");
        },
      }),
    });
    const { run } = loggedRun({ policies: [first.policy, failing, { ...last.policy, name: "last" }] });
    run.text("x".repeat(512));
    expect([first.seen, last.seen]).toEqual([
      [256, 256],
      [256, 256],
    ]);
  });
});
