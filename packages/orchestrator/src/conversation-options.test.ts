import { describe, expect, it } from "vitest";
import { createConversation } from "./conversation.ts";

const agent = { name: "planner", work: () => ({ text: "A plan." }) };

describe("the agents of a conversation", () => {
  it.each([
    { what: "there are none", agents: [], says: "there must be at least one" },
    { what: "two have one name", agents: [agent, { ...agent, name: "Planner" }], says: 'two are named "Planner"' },
    { what: "one is called as the end is", agents: [{ ...agent, name: "end" }], says: '"end" cannot be the name of an agent' },
    { what: "one has no name", agents: [{ work: agent.work }], says: "one of them has no name" },
    { what: "one cannot work", agents: [{ name: "planner" }], says: '"planner" has no function `work`' },
  ])("are refused where $what", ({ agents, says }) => {
    expect(() => createConversation({ agents: agents as never, router: () => "" })).toThrow(expect.objectContaining({ code: "INVALID_CONVERSATION", message: `The option "agents" of the conversation is wrong: ${says}.` }) as Error);
  });
});
