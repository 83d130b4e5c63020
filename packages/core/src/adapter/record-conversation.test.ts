import { describe, expect, it } from "vitest";
import type { RunEvent } from "../events/run-event.ts";
import { createRun, type RunPort } from "../run/run.ts";
import { type ConversationMessage, recordConversation } from "./record-conversation.ts";
import { recordAnswer } from "./record-answer.ts";

const user = (text: string): ConversationMessage => ({ role: "user", text });
const said = (text: string, id = ""): ConversationMessage => ({ role: "assistant", text, id });
const result = (id: string): ConversationMessage => ({ role: "tool", text: "result", id });
const system: ConversationMessage = { role: "system", text: "You help." };

function start(): { readonly run: RunPort; readonly seen: () => readonly string[] } {
  const run = createRun();
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return {
    run,
    seen: () =>
      events.flatMap((event) =>
        event.type === "message.received"
          ? [`user: ${event.excerpt ?? ""}`]
          : event.type === "context.compacted"
            ? [`compacted${event.summary === undefined ? "" : `: ${event.summary}`}`]
            : [],
      ),
  };
}

describe("recordConversation", () => {
  it.each<{
    readonly what: string;
    readonly requests: readonly (readonly ConversationMessage[])[];
    readonly seen: readonly string[];
  }>([
    { what: "the first request", requests: [[system, user("Fix it.")]], seen: ["user: Fix it."] },
    {
      what: "a conversation that grows",
      requests: [[user("Fix it.")], [user("Fix it."), said("Done."), user("Now test it.")]],
      seen: ["user: Fix it.", "user: Now test it."],
    },
    {
      what: "the same request once more",
      requests: [[user("Fix it.")], [user("Fix it.")]],
      seen: ["user: Fix it."],
    },
    {
      what: "the same words twice",
      requests: [[user("Again.")], [user("Again."), said("Once."), user("Again.")]],
      seen: ["user: Again.", "user: Again."],
    },
    {
      what: "a history from before the run",
      requests: [[user("Old."), said("Yes."), user("New.")]],
      seen: ["user: New."],
    },
    {
      what: "a message of Phasekit",
      requests: [[user("Fix it."), said("a"), user("<phasekit>\nHurry.\n</phasekit>")]],
      seen: [],
    },
    {
      what: "a history that lost its beginning",
      requests: [
        [user("Fix it."), said("", "1"), result("1"), said("", "2"), result("2")],
        [said("", "2"), result("2")],
      ],
      seen: ["compacted"],
    },
    {
      what: "a summary in the place of what was dropped",
      requests: [
        [user("Fix it."), said("", "1"), result("1"), said("", "2"), result("2")],
        [user("In short."), said("", "2"), result("2")],
      ],
      seen: ["compacted: In short."],
    },
    {
      what: "a retry without the end",
      requests: [[user("Fix it."), said("", "1"), result("1")], [user("Fix it.")]],
      seen: [],
    },
    {
      what: "another conversation",
      requests: [[user("Fix it."), said("", "1"), result("1"), user("More.")], [user("Who should do it?")]],
      seen: ["user: More.", "user: Who should do it?"],
    },
  ])("$what: $seen", ({ requests, seen }) => {
    const started = start();
    for (const request of requests) recordConversation(started.run, request);
    expect(started.seen()).toEqual(seen);
  });

  it("recognizes a compaction that leaves only the last answer and a summary", () => {
    const { run, seen } = start();
    recordConversation(run, [user("Fix it."), said("", "1"), result("1")]);
    recordAnswer(run, { text: "", calls: [{ call: "2", tool: "read", input: {} }] });
    recordConversation(run, [user("In short."), said("", "2"), result("2")]);
    expect(seen()).toEqual(["compacted: In short."]);
  });

  it("records every message of a request whose history the provider keeps", () => {
    const { run, seen } = start();
    for (const list of [[user("Go on.")], [result("1")], [user("Go on.")], [user("Go on.")]])
      recordConversation(run, list, { partial: true });
    expect(seen()).toEqual(["user: Go on.", "user: Go on."]);
  });

  it("keeps an open turn open", () => {
    const { run } = start();
    run.beforeTurn();
    recordConversation(run, [user("Fix it.")]);
    expect(run.beforeTurn().turn).toBe(1);
  });
});
