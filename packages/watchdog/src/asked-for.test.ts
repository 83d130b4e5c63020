import { describe, expect, it } from "vitest";
import { bash, times } from "../test/case-builders.ts";
import { startRun, tell } from "../test/case-driver.ts";
import { askedFor } from "./asked-for.ts";

describe("what a message asks for", () => {
  it.each([
    ["Run TestReconnect 15 times and tell me how often it fails.", 20],
    ["Do 40 runs of the benchmark.", 42],
    ["Watch the queue and shout if it grows.", 20],
    ["Backfill in batches until nothing is left.", 20],
    ["Check every minute whether it is up.", 20],
    ["Fix the failing login test.", 0],
    ["Keep going until it works.", 0],
    ["Try until all tests pass, it takes 5 minutes.", 0],
    ["Add a watch mode to the monitor component.", 0],
    [`Run it 15 times. ${"The rest is a long specification. ".repeat(12)}`, 0],
    ["The build has failed since Monday.", 0],
    ["", 0],
  ])("%s: the same may be done again %i times", (message, again) => {
    expect(askedFor(message).again).toBe(again);
  });

  it.each([
    ["Check each of them for references.", true],
    ["Confirm that none of these names is left.", true],
    ["Apply the migrations one at a time.", true],
    ["Are these still used: a, b, c, d, e, f?", true],
    ["Find the customer's account.", false],
    ["Fix the failing login test.", false],
  ])("%s: things are gone through one by one: %s", (message, each) => {
    expect(askedFor(message).each).toBe(each);
  });
});

describe("a run that was asked to repeat something", () => {
  it.each([
    { message: "Keep going until it works.", stuck: true },
    { message: "Watch the build until nothing is left to do.", stuck: true },
    { message: "Try it 10 times and tell me how often it fails.", stuck: false },
  ])("$message: ten failures are stuck: $stuck", ({ message, stuck }) => {
    const { run, log } = startRun();
    tell(run, { type: "user", text: message });
    for (const event of times(10, () => bash("./flaky.sh", "error: no route", { ok: false }))) tell(run, event);
    expect(log.some(({ type }) => type === "alert.raised")).toBe(stuck);
  });

  const alerts = (asked: { readonly task?: string; readonly message?: string }, repeats: number): number => {
    const { run, log } = startRun(asked.task === undefined ? {} : { task: { text: asked.task } });
    if (asked.message !== undefined) tell(run, { type: "user", text: asked.message });
    for (const event of times(repeats, () => bash("./flaky.sh", "ok"))) tell(run, event);
    return log.filter(({ type }) => type === "alert.raised").length;
  };

  it.each([
    { asked: { task: "Run ./flaky.sh 12 times." }, repeats: 12, stuck: false },
    { asked: { message: "Run ./flaky.sh 12 times." }, repeats: 12, stuck: false },
    { asked: { task: "Run ./flaky.sh 12 times.", message: "Never mind, fix it." }, repeats: 12, stuck: true },
    { asked: { message: "Run ./flaky.sh 12 times." }, repeats: 30, stuck: true },
    { asked: {}, repeats: 12, stuck: true },
  ])("$asked, $repeats times: stuck $stuck", ({ asked, repeats, stuck }) => {
    expect(alerts(asked, repeats) > 0).toBe(stuck);
  });
});
