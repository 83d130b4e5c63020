import { createRun, type RunPort } from "@phasekit/core";
import { describe, expect, it } from "vitest";
import { makeCall } from "./make-call.ts";
import { beginNameless, namelessCall } from "./nameless-calls.ts";

/** A run whose model has asked for `look` this many times in one answer, without ids. */
function asked(times: number): RunPort {
  const run = createRun();
  run.beforeTurn();
  for (let count = 1; count <= times; count += 1)
    run.beforeTool({ call: namelessCall("look", count), tool: "look", input: { count } });
  return run;
}

describe("beginNameless", () => {
  it("beginNameless gives calls that run side by side an id each", () => {
    const run = asked(3);
    expect([1, 2, 3].map(() => beginNameless(run, "look").call)).toEqual(["look", "look#2", "look#3"]);
  });

  it("beginNameless gives a call that the graph interrupted its id again", () => {
    const run = asked(2);
    beginNameless(run, "look").end();
    expect(beginNameless(run, "look").call).toBe("look");
  });

  it("beginNameless keeps the calls of different tools apart", () => {
    const run = asked(1);
    beginNameless(run, "look");
    expect(beginNameless(run, "edit").call).toBe("edit");
  });
});

describe("makeCall", () => {
  it.each(["side by side", "one after the other"])("makeCall counts two calls without ids: %s", async (how) => {
    const run = asked(2);
    const make = (count: number) =>
      makeCall<object>(run, {
        toolCall: { name: "look", args: { count } },
        tool: undefined,
        clock: () => 0,
        execute: () => Promise.resolve(`seen ${String(count)}`),
      });
    if (how === "side by side") await Promise.all([make(1), make(2)]);
    else for (const count of [1, 2]) await make(count);
    expect([run.view.toolCalls, run.view.pending.size]).toEqual([2, 0]);
  });
});
