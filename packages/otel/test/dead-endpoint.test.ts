import { describe, it } from "vitest";
import { expectFlatMemory } from "./flat-memory.ts";

describe("a dead endpoint", () => {
  it("does not make a process grow over 20,000 events", async () => {
    await expectFlatMemory(20_000);
  });
});
