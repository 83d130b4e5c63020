import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { isDevelopment } from "./development-mode.ts";
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
    const lines = warn.mock.calls.flat();
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
    expect(warn.mock.calls.flat()).toEqual([expect.stringMatching(/"broken-in-test" failed in decide.*no such table/)]);
  });

  it("production is silent", () => {
    vi.stubEnv("PHASEKIT_DEBUG", "");
    createRun().record({ type: "tool.finishd" } as never);
    expect(warn).not.toHaveBeenCalled();
  });
});
