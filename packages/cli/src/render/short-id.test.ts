import { describe, expect, it } from "vitest";
import { shortId } from "./short-id.ts";

describe("shortId", () => {
  it.each([
    ["9205db7e-514f-4fd1-aefe-bc067121b4e8", "9205db7e"],
    ["9205db7e-514f-4fd1-aefe-bc067121b4e8/a2edce21c7524cb8c", "9205db7e/a2edce21"],
    ["9205db7e-514f-4fd1-aefe-bc067121b4e8/af2c878", "9205db7e/af2c878"],
    ["run-mwldhmhe-0tp3q84", "run-mwldhmhe-0tp3q84"],
    ["deadbeef99", "deadbeef99"],
    ["support/deploy", "support/deploy"],
  ])("%s is %s", (id, short) => {
    expect(shortId(id)).toBe(short);
  });
});
