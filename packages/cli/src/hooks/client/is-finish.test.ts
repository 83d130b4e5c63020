import { hookAgents } from "@phasekit/hooks";
import { describe, expect, it } from "vitest";
import { finishEvents, isFinish } from "./is-finish.ts";

describe("isFinish", () => {
  it("knows every event at which an agent can be vetoed, and no other", () => {
    const events = Object.values(hookAgents).flatMap((agent) =>
      Object.entries(agent.events).flatMap(([name, can]) => (can.includes("veto") ? [name] : [])),
    );
    expect([...new Set(events)].sort()).toEqual([...finishEvents].sort());
  });

  it.each([
    [undefined, { session_id: "s", hook_event_name: "Stop" }, true],
    [undefined, { hook: "pi", event: "finish" }, true],
    ["agentStop", {}, true],
    ["preToolUse", { hook_event_name: "Stop" }, false],
    [undefined, { prompt: '"hook_event_name":"Stop"', hook_event_name: "UserPromptSubmit" }, false],
    [undefined, {}, false],
  ])("of %s %j is %s", (event, payload, finishes) => {
    expect(isFinish(event, Buffer.from(JSON.stringify(payload)))).toBe(finishes);
  });
});
