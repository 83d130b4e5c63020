import { createRun } from "@phasekit/core";
import { createAgent, createMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { call, hurry, look, say, scriptChat } from "../test/scripted-chat.ts";
import { withPhases } from "./with-phases.ts";

describe("withPhases", () => {
  it("puts its middleware before the caller's and does not change the given options", () => {
    const other = createMiddleware({ name: "other" });
    const options = { model: "m", tools: [], middleware: [other] };
    const wrapped = withPhases(createRun(), options);
    expect(wrapped.middleware.map(({ name }) => name)).toEqual(["phasekit", "other"]);
    expect(wrapped).toMatchObject({ model: "m", tools: [] });
    expect(options.middleware).toEqual([other]);
  });

  it("puts a run into an agent without middleware", async () => {
    const { model, sent } = await scriptChat([call("look"), say("Done.")]);
    const run = createRun({ policies: [hurry] });
    await createAgent(withPhases(run, { model, tools: [look()] })).invoke({ messages: "go" });
    expect(run.view.turn).toBe(2);
    expect(run.view.toolCalls).toBe(1);
    expect(sent(1).some((line) => line.includes("<phasekit>"))).toBe(true);
  });
});
