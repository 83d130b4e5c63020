import { describe, expect, it } from "vitest";
import { asksForListOnly, judgeCompletion } from "./judge-completion.ts";

const todo = (id: string, status: string) => ({ id, status });

describe("judgeCompletion", () => {
  it("judgeCompletion sends an agent back with its open items only", () => {
    expect(
      judgeCompletion({
        todos: [
          { id: "t1", text: "write it", status: "pending" },
          todo("t2", "done"),
          { text: "test it", status: "in_progress" },
          { status: "open" },
        ],
      }),
    ).toMatchInlineSnapshot(`
      {
        "open": [
          "t1: write it",
          "test it",
          "item 3",
        ],
        "reengage": true,
        "text": "Your own list has open items:
      - t1: write it
      - test it
      - item 3
      Finish them, or mark items you do not need as skipped and say why.",
      }
    `);
  });

  it.each([
    { what: "nothing on the list", todos: [], reengage: false },
    {
      what: "done and skipped items",
      todos: [todo("a", "done"), todo("b", "skipped"), todo("c", "Completed"), todo("d", "cancelled")],
      reengage: false,
    },
    { what: "one open item", todos: [todo("a", "done"), todo("b", "in_progress")], reengage: true },
    { what: "an item with a status nobody knows", todos: [todo("a", "blocked")], reengage: true },
    { what: "waiting for somebody else", todos: [todo("a", "pending")], pendingExternal: 1, reengage: false },
    {
      what: "having been asked for the list alone",
      todos: [todo("a", "pending")],
      request: "Make a todo list and stop.",
      reengage: false,
    },
    {
      what: "having been asked for the work",
      todos: [todo("a", "pending")],
      request: "Make a todo list and do it.",
      reengage: true,
    },
  ])("judgeCompletion with $what sends back: $reengage", ({ reengage, what: _what, ...check }) => {
    expect(judgeCompletion(check).reengage).toBe(reengage);
  });
});

describe("asksForListOnly", () => {
  it.each([
    ["make a todo list and stop", true],
    ["Write a plan, then wait for me", true],
    ["Only write the todos", true],
    ["Just list the steps", true],
    ["Plan it, but don't start yet", true],
    ["Do not implement anything", true],
    ["make a list and don't do it", true],
    // Whole words only, and not every "don't".
    ["Write the list and don't do the same mistake again", false],
    ["the prefixed list must stopgap", false],
    ["Make the button stop blinking", false],
    ["Justify the listing", false],
    ["Implement the plan and do not break the tests", false],
    ["and don't doubt it", false],
    ["", false],
  ])("%j: %s", (request, only) => {
    expect(asksForListOnly(request)).toBe(only);
  });
});
