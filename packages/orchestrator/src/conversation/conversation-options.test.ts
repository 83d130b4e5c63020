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
