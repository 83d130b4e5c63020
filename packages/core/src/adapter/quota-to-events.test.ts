import { describe, expect, it } from "vitest";
import { quotaToEvents } from "./quota-to-events.ts";

describe("quotaToEvents", () => {
  it.each([
    { name: "nothing", headers: {}, expected: [] },
    { name: "a count that is no number", headers: { "x-ratelimit-remaining-requests": "many" }, expected: [] },
    { name: "an empty count", headers: { "x-ratelimit-remaining-requests": " " }, expected: [] },
    {
      name: "zero",
      headers: { "x-ratelimit-remaining-tokens": "0" },
      expected: [{ type: "quota.observed", remaining: 0, unit: "tokens" }],
    },
    {
      name: "both units with limit and reset",
      headers: {
        "x-ratelimit-remaining-requests": "5",
        "x-ratelimit-limit-requests": "60",
        "x-ratelimit-reset-requests": "6m1.5s",
        "x-ratelimit-remaining-tokens": "9",
        "x-ratelimit-reset-tokens": "20ms",
      },
      expected: [
        { type: "quota.observed", remaining: 5, unit: "requests", limit: 60, resetAt: 1000 + 361_500 },
        { type: "quota.observed", remaining: 9, unit: "tokens", resetAt: 1020 },
      ],
    },
  ])("quotaToEvents reads $name", ({ headers, expected }) => {
    expect(quotaToEvents((name) => (headers as Readonly<Record<string, string>>)[name], 1000)).toEqual(expected);
  });
});
