import { describe, expect, it } from "vitest";
import { type LoopCase, startRun } from "./case-driver.ts";
import cases from "./cases/loop-cases.json" with { type: "json" };

// The same cases with their texts as pieces of one streamed message instead of messages of their own.
const texts = (cases as unknown as readonly LoopCase[]).filter(({ events, consensus }) => consensus !== "policy" && events.length > 0 && events.every(({ type }) => type === "text"));

function chants({ events }: LoopCase, cut: (text: string) => readonly string[]): boolean {
  const { run, log } = startRun();
  const whole = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  for (const piece of cut(whole)) run.text(piece);
  run.record({ type: "message.sent", text: whole });
  return log.some((event) => event.type === "alert.raised" && event.kind === "chanting");
}

describe("chants in one stream", () => {
  it("there are some", () => { expect(texts.length).toBeGreaterThan(5); });

  it.each(texts)("$id: $name", (entry) => {
    const whole = chants(entry, (text) => [text]);
    const letters = chants(entry, (text) => Array.from(text));
    expect(letters).toBe(whole);
    expect(whole).toBe(entry.consensus === "fire");
  });
});
