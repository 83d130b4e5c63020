import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { isDevelopment } from "./development-mode.ts";
import { definePhaseGraph } from "../graph/phase-graph.ts";
import { budget } from "../policies/budget.ts";
import { nudge } from "../policies/decision.ts";
import { defineGate } from "../policies/define-gate.ts";
import { definePolicy } from "../policies/policy.ts";
import { createRun } from "./run.ts";

let warn: MockInstance<typeof console.warn>;
beforeEach(() => {
  warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  warn.mockRestore();
});

/** The lines so far. */
const printed = (): readonly unknown[] => warn.mock.calls.flat();

describe("development mode", () => {
  it.each([
    [{ process: { stderr: { isTTY: true }, env: {} } }, true],
    [{ process: { stderr: { isTTY: true }, env: { NODE_ENV: "production" } } }, false],
    [{ process: { stderr: { isTTY: true }, env: { NODE_ENV: "test" } } }, false],
    [{ process: { stderr: { isTTY: true }, env: { PHASEKIT_DEBUG: "0" } } }, false],
    [{ process: { env: {} } }, false],
    [{ process: { env: { PHASEKIT_DEBUG: "1", NODE_ENV: "production" } } }, true],
    [{}, false],
  ])("isDevelopment(%j) is %s", (host, expected) => {
    expect(isDevelopment(host)).toBe(expected);
  });

  it("a rejected event and an unknown type are printed once, with the reason", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const run = createRun();
    for (const _ of [1, 2]) {
      run.record({ type: "tool.finishd" } as never);
      run.record({ type: "tool.finished", call: "c", outcome: "fine" } as never);
    }
    const lines = printed();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^phasekit: the event "tool.finishd" was rejected.*tool\.finished/);
    expect(lines[1]).toMatch(/^phasekit: the event "tool.finished" was rejected.*outcome/);
  });

  it("a failing policy is printed", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const broken = definePolicy({
      name: "broken-in-test",
      decide: {
        "turn.started": () => {
          throw new Error("no such table");
        },
      },
    });
    createRun({ policies: [broken] }).beforeTurn();
    expect(printed()).toEqual([expect.stringMatching(/"broken-in-test" failed in decide.*no such table/)]);
  });

  it("options without a meaning, policies that can do nothing and a wrong end are printed", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const lost = definePolicy({
      name: "lost-in-test",
      needs: ({ limits }) => (limits.turns === undefined ? "it needs a limit" : undefined),
    });
    const graph = definePhaseGraph({
      initial: "triage",
      phases: { triage: { next: ["answer"] }, answer: { next: [], final: true } },
    });
    const run = createRun({ graph, policies: [lost], polices: [] } as never);
    run.end();
    createRun({ graph, policies: [lost, budget({ turns: 5 })] }).transition("answer");
    expect(printed()).toEqual([
      expect.stringMatching(/^phasekit: createRun\(\) has no option "polices". It has graph, .*policies/),
      'phasekit: policy "lost-in-test" can do nothing here: it needs a limit.',
      'phasekit: a run ended as done in "triage", which is not final in its graph; answer is.',
    ]);
  });

  it("misspelled fields of phases, members of policies and types of events are printed", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const policy = { name: "typo-in-test", decid: {}, observe: { "turn.statred": () => undefined } };
    const graph = { initial: "only", phases: { only: { next: [], final: true, guidence: "Write first." } } };
    createRun({ graph, policies: [policy] } as never);
    expect(printed()).toEqual([
      expect.stringMatching(/^phasekit: phase "only" has no field "guidence". It has next, .*guidance/),
      expect.stringMatching(/^phasekit: policy "typo-in-test" has no member "decid". It has name, .*decide/),
      'phasekit: policy "typo-in-test" waits for "turn.statred", which is not an event of a run.',
    ]);
  });

  it("a phase that no way leads to, and a nudge without a text, are printed", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const graph = definePhaseGraph({
      initial: "plan",
      phases: { plan: { next: ["build"] }, build: { next: [], final: true }, review: { next: ["build"] } },
    });
    const silent = definePolicy({ name: "silent-in-test", decide: { "turn.started": () => nudge(" ") } });
    const run = createRun({ graph, mode: "nudge", policies: [silent] });
    expect(run.beforeTurn().nudges).toEqual([]);
    expect(printed()).toEqual([
      'phasekit: phase "review" has no way in.',
      expect.stringMatching(/"silent-in-test" failed in decide.*"text" is wrong: it must be a text that is not empty/),
    ]);
  });

  it("a gate whose objection the host cannot pass on is printed", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "1");
    const gate = defineGate({ name: "never-in-test", check: () => ({ verdict: "veto", why: "Not yet." }) });
    const asks = createRun({ mode: "gate", policies: [gate] });
    expect(asks.beforeFinish().accept).toBe(false);
    expect(printed()).toEqual([]);
    createRun({ mode: "gate", policies: [gate] }).end();
    expect(printed()).toEqual([expect.stringMatching(/"never-in-test" objected.*run\.beforeFinish\(\)/)]);
  });

  it("production is silent", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "");
    createRun().record({ type: "tool.finishd" } as never);
    expect(printed()).toEqual([]);
  });
});
