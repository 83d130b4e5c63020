import { describe, expect, it } from "vitest";
import { renderNudges } from "./agent-texts.ts";

describe("renderNudges", () => {
  it.each([
    { texts: [], message: undefined },
    { texts: ["one"], message: "<phasekit>\none\n</phasekit>" },
    { texts: ["one", "two\nlines"], message: "<phasekit>\none\n\ntwo\nlines\n</phasekit>" },
  ])("renderNudges renders $texts", ({ texts, message }) => {
    expect(renderNudges(texts)).toBe(message);
  });
});
