import { describe, expect, it } from "vitest";
import { scripted } from "../__fixtures__/scripted-conversation.ts";
import { createConversationBoard } from "./conversation-board.ts";
import { waitChanged } from "./conversation-events.ts";

const at = (phase: string) => ({ agents: ["executor"], phase, reason: phase });

function pair() {
  const board = createConversationBoard();
  const a = scripted({
    id: "a",
    board,
    decisions: [at("execute"), at("verification"), at("chores"), at("reflection")],
  });
  const b = scripted({ id: "b", board });
  return { board, a, b };
}

describe("related conversations", () => {
  it("conversations wait for a phase or the end of each other", async () => {
    const { a, b } = pair();
    const visited = b.conversation.waitFor({ conversation: "a", visited: "verification" });
    const ended = b.conversation.waitFor({ conversation: "a" });
    await a.conversation.send("Add it");
    expect([await visited, await ended]).toEqual(["reached", "reached"]);
    expect(b.dataOf(waitChanged).map(({ status }) => status)).toEqual(["waiting", "waiting", "reached", "reached"]);
    expect(await b.conversation.waitFor({ conversation: "a", visited: "verification" })).toBe("reached");
  });

  it("a wait ends at its timeout, and when the condition can no longer be met", async () => {
    const { a, b } = pair();
    const waiting = b.conversation.waitFor({ conversation: "a", visited: "plan", timeoutMs: 500 });
    await b.time.advance(500);
    expect(await waiting).toBe("timeout");
    const hopeless = b.conversation.waitFor({ conversation: "a", visited: "plan" });
    await a.conversation.send("Add it");
    expect(await hopeless).toBe("timeout");
    expect(await b.conversation.waitFor({ conversation: "a", visited: "plan" })).toBe("timeout");
  });

  it("a wait that would close a cycle resolves to deadlock", async () => {
    const { board, a, b } = pair();
    const c = scripted({ id: "c", board });
    void a.conversation.waitFor({ conversation: "b" });
    void b.conversation.waitFor({ conversation: "c" });
    expect(await c.conversation.waitFor({ conversation: "a" })).toBe("deadlock");
    expect(await c.conversation.waitFor({ conversation: "c" })).toBe("deadlock");
  });

  it("a wait for an unknown conversation throws", async () => {
    const { board, b } = pair();
    expect(() => board.read("missing")).toThrow('There is no conversation "missing" on the board.');
    await expect(b.conversation.waitFor({ conversation: "missing" })).rejects.toMatchObject({
      code: "UNKNOWN_CONVERSATION",
    });
  });

  it("conversations see each other's phases", async () => {
    const { board, a } = pair();
    await a.conversation.send("Add it");
    expect(board.read("a")).toEqual({
      phase: "reflection",
      visited: ["chat", "execute", "verification", "chores", "reflection"],
      ended: true,
    });
  });
});
