import { describe, expect, it } from "vitest";
import { createRun } from "../run.ts";
import { createNudgeAnchors } from "./nudge-anchors.ts";

interface Message { readonly role: string; readonly text: string }
const user = (text: string): Message => ({ role: "user", text });
const options = (text?: string) => ({ text, make: user, read: (message: Message) => message.text });

describe("createNudgeAnchors", () => {
  it("puts a nudge at the end, and back to the same place in every later list", () => {
    const { place } = createNudgeAnchors(createRun());
    expect(place([user("a")], options("hurry"))).toEqual([user("a"), user("hurry")]);
    expect(place([user("a"), user("b")], options())).toEqual([user("a"), user("hurry"), user("b")]);
    expect(place([user("a"), user("b")], options("faster"))).toEqual([user("a"), user("hurry"), user("b"), user("faster")]);
    expect(place([user("a"), user("b"), user("c")], options())).toEqual([user("a"), user("hurry"), user("b"), user("faster"), user("c")]);
  });

  it("leaves a list alone whose host kept what it was given", () => {
    const { place } = createNudgeAnchors(createRun());
    const kept = place([user("a")], options("hurry"));
    expect(place([...kept, user("b")], options())).toEqual([...kept, user("b")]);
    expect(place(kept, options("hurry"))).toEqual(kept);
  });

  it("drops a nudge whose place is gone, and does not invent another", () => {
    const { place } = createNudgeAnchors(createRun());
    place([user("a"), user("b")], options("hurry"));
    expect(place([user("summary of a and b"), user("c")], options())).toEqual([user("summary of a and b"), user("c")]);
    expect(place([user("a")], options())).toEqual([user("a")]);
  });

  it("keeps the nudges of each run apart, and those of one run together", () => {
    const run = createRun();
    createNudgeAnchors(run).place([user("a")], options("hurry"));
    expect(createNudgeAnchors(createRun()).place([user("a"), user("b")], options())).toHaveLength(2);
    expect(createNudgeAnchors(run).place([user("a"), user("b")], options())).toHaveLength(3);
  });
});
