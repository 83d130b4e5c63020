import { describe, it } from "vitest";
import { expectFlatMemory } from "./flat-memory.ts";

describe("a dead endpoint", () => {
  it("does not make a process grow over 1,000,000 events", async () => {
    await expectFlatMemory(1_000_000);
  });
});
