import { describe, expect, it } from "vitest";
import { firstAlert } from "./case-driver.ts";
import { ownLoops } from "./cases/own-loops.ts";

describe("loops of our own writing", () => {
  it.each(ownLoops)("$name", ({ events }) => {
    expect(firstAlert(events)).toBeDefined();
  });
});
