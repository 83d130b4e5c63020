import { describe, expect, it } from "vitest";
import { createConversation } from "./conversation.ts";

const agent = { name: "planner", work: () => ({ text: "A plan." }) };

describe("the agents of a conversation", () => {
  it.each([
    { what: "there are none", agents: [], says: "it is empty, and a conversation needs at least one agent" },
    {
      what: "two have one name",
      agents: [agent, { ...agent, name: "Planner" }],
      says: 'two agents have the name "Planner"',
    },
    {
      what: "one has the name END",
      agents: [{ ...agent, name: "end" }],
      says: '"end" is not a valid name (1 to 100 characters, not END, not the router\'s id)',
    },
    { what: "one has no name", agents: [{ work: agent.work }], says: "an agent has no name" },
    { what: "one cannot work", agents: [{ name: "planner" }], says: 'the agent "planner" has no function `work`' },
  ])("createConversation refuses agents where $what", ({ agents, says }) => {
    expect(() => createConversation({ agents: agents as never, router: () => "" })).toThrow(
      expect.objectContaining({
        code: "INVALID_CONVERSATION",
        message: `The option "agents" of the conversation is invalid: ${says}.`,
      }) as Error,
    );
  });
});

describe("the options of a conversation", () => {
  const router = () => "?";

  it.each<{ what: string; options: object; code: string; says: string }>([
    { what: "no router", options: { router: undefined }, code: "INVALID_CONVERSATION", says: '"router"' },
    { what: "a fallback that is a name", options: { fallback: "x" }, code: "INVALID_CONVERSATION", says: '"fallback"' },
    { what: "a number as phase", options: { initialPhase: 7 }, code: "INVALID_CONVERSATION", says: '"initialPhase"' },
    { what: "a misspelled phase", options: { initialPhase: "exec" }, code: "INVALID_CONVERSATION", says: '"exec"' },
    {
      what: "a cap that is a text",
      options: { retryCaps: { absolute: "9" } },
      code: "INVALID_OPTION",
      says: "absolute",
    },
    {
      what: "a cap below 0",
      options: { roundCaps: { withoutProgress: -1 } },
      code: "INVALID_OPTION",
      says: "withoutProgress",
    },
    { what: "no agent in parallel", options: { parallel: 0 }, code: "INVALID_OPTION", says: "parallel" },
    { what: "a time that is NaN", options: { graceMs: Number.NaN }, code: "INVALID_OPTION", says: "graceMs" },
  ])("createConversation refuses $what", ({ options, code, says }) => {
    expect(() => createConversation({ agents: [agent], router, ...options })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(says) as string }) as Error,
    );
  });

  it("createConversation hands the options of a run to its run", () => {
    const { run } = createConversation({
      agents: [agent],
      router,
      id: "mine",
      task: { text: "Plan it." },
      classify: () => "rate_limit",
    });
    run.end({ error: new Error("no") });
    expect([run.id, run.view.task?.text, run.view.outcome?.reason]).toEqual(["mine", "Plan it.", "rate_limit"]);
  });
});
