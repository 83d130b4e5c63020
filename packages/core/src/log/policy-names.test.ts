import { describe, expect, it } from "vitest";
import { loggedRun } from "../__fixtures__/logged-run.ts";
import { defineGate } from "../policies/define-gate.ts";
import { currentPolicyName } from "./policy-names.ts";
import { replayRun } from "./replay-run.ts";
import { upgradeEvent } from "./upgrade-event.ts";

const stamp = { seq: 1, at: 1 };

describe("currentPolicyName", () => {
  it.each([
    ["fresh-tests", "tests-fresh"],
    ["changes-pushed", "pushed"],
    ["tests-fresh", "tests-fresh"],
    ["constructor", "constructor"],
  ])("%s is %s today", (name, current) => {
    expect(currentPolicyName(name)).toBe(current);
  });
});

describe("upgradeEvent reads the old names of gates as today's", () => {
  it.each([
    [{ type: "finish.vetoed", ...stamp, by: "fresh-tests", gate: "fresh-tests", text: "t" }, "tests-fresh", 2],
    [{ type: "finish.vouched", ...stamp, by: "claims-match", gate: "claims-match" }, "claims-true", 2],
    [{ type: "policy.failed", ...stamp, by: "core", policy: "open-todos", message: "m" }, "todos-done", 1],
    [{ type: "move.requested", ...stamp, do: "waive", by: "user", gate: "non-empty-diff" }, "diff-not-empty", 1],
    [{ type: "check.finished", ...stamp, check: "x", gate: "tests-not-weakened" }, "tests-kept", 1],
    [{ type: "nudge.sent", ...stamp, by: "checks-not-loosened", text: "t" }, "checks-kept", 1],
    [{ type: "run.started", ...stamp, policies: [{ name: "p" }, { name: "changes-committed", v: 1 }] }, "committed", 1],
    [{ type: "run.resumed", ...stamp, attempt: 2, policies: [{ name: "changes-pushed" }] }, "pushed", 1],
  ])("%o", (event, name, times) => {
    const upgraded = JSON.stringify(upgradeEvent(event));
    expect(upgraded.split(JSON.stringify(name))).toHaveLength(times + 1);
    expect(Object.keys(upgradeEvent(event))).toEqual(Object.keys(event));
  });

  it("an event without old names comes back as it is, also one with damaged policies", () => {
    for (const event of [
      { type: "finish.vetoed", ...stamp, by: "mine", gate: "mine" },
      { type: "run.started", ...stamp, policies: [null, "fresh-tests", { name: "p" }] },
      { type: "message.sent", ...stamp, excerpt: "fresh-tests" },
    ])
      expect(upgradeEvent(event)).toBe(event);
  });
});

it("a run takes the old name of a gate for a waiver, and a stored veto under it is replayed under the new one", () => {
  const gate = defineGate({ name: "tests-fresh", check: () => ({ verdict: "veto", why: "w", text: "t" }) });
  const { run, log } = loggedRun({ mode: "gate", policies: [gate] });
  run.record({ type: "turn.started" });
  expect(run.beforeFinish().accept).toBe(false);
  expect(run.waive("fresh-tests", { by: "user", why: "none here" })).toBe(true);
  run.record({ type: "turn.started" });
  expect(run.beforeFinish().accept).toBe(true);

  const old = JSON.parse(JSON.stringify(log).replaceAll("tests-fresh", "fresh-tests")) as unknown[];
  const { run: replayed, missing } = replayRun(old, { policies: [gate] });
  expect(missing).toEqual([]);
  replayed.record({ type: "turn.started" });
  expect(replayed.beforeFinish().accept).toBe(true);
});
