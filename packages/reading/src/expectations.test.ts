import { createRun, type Expectation, expectationSet, type RunEvent } from "@phasekit/core";
import { describePolicy } from "@phasekit/core/testing";
import { describe, expect, it } from "vitest";
import { expectations } from "./expectations.ts";

function expectationsIn(task: string, messages: readonly string[] = []): readonly Expectation[] {
  const run = createRun<string>({ policies: [expectations()], task: { text: task } });
  const log: RunEvent[] = [];
  run.subscribe((step) => log.push(...step));
  for (const text of messages) run.record({ type: "message.received", text });
  return log.flatMap((event) => (expectationSet.is(event) ? [event.data] : []));
}

describe("expectations", () => {
  it.each([
    { text: "Run TestReconnect 15 times and tell me how often it fails.", asks: true },
    { text: "Watch the deployment; tell me when it is up", asks: true },
    { text: "Check each of these functions", asks: false },
    { text: "The login is broken. I can reach you tomorrow.", asks: false },
    { text: `It is slow. ${"A long specification that says every word. ".repeat(20)}`, asks: false },
  ])("reads repetition in $text: $asks", ({ text, asks }) => {
    expect(expectationsIn(text).some(({ repeats }) => repeats)).toBe(asks);
    expect(expectationsIn("Something", [text]).some(({ repeats }) => repeats)).toBe(asks);
  });

  it("tells a series over many items from repetition of one call", () => {
    expect(expectationsIn("Check each of these functions")).toEqual([{ repeats: false, series: true }]);
    expect(expectationsIn("Run it ten times")).toEqual([{ repeats: true }]);
  });

  it.each([
    { text: "Why does the build fail on Windows?", edits: false },
    { text: "Please review the pull request for security problems.", edits: false },
    { text: "Could you explain how sessions expire?", edits: false },
    { text: "Plan the migration to Node 24. Do not touch the code.", edits: false },
    { text: "sum(2, 3) gives -1. Fix it.", edits: true },
    { text: "What is wrong with the parser?\nFix the bug and add a test.", edits: true },
    { text: "Can you add a health endpoint?", edits: true },
    { text: "The parser loses the last line.", edits: undefined },
  ])("reads in $text that a change is asked for: $edits", ({ text, edits }) => {
    expect(expectationsIn(text).at(-1)?.edits).toBe(edits);
  });
});

describePolicy(() => expectations(), {
  describe,
  it,
  events: [
    { type: "message.received", text: "poll it every minute" },
    { type: "message.received", text: "stop" },
  ],
});
