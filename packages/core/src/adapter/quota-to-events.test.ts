import { describe, expect, it } from "vitest";
import { quotaToEvents } from "./quota-to-events.ts";

const NOW = Date.parse("2026-01-02T03:04:05Z");
const at = (text: string): number => Date.parse(text);
const observed = (fields: object): object => ({ type: "quota.observed", ...fields });

const CASES: readonly { name: string; headers: Readonly<Record<string, string>>; expected: readonly object[] }[] = [
  { name: "nothing", headers: {}, expected: [] },
  { name: "a count that is not a number", headers: { "x-ratelimit-remaining-requests": "many" }, expected: [] },
  { name: "an empty count", headers: { "x-ratelimit-remaining-requests": " " }, expected: [] },
  { name: "a limit without a rest", headers: { "x-ratelimit-limit-requests": "60" }, expected: [] },
  {
    name: "zero",
    headers: { "x-ratelimit-remaining-tokens": "0" },
    expected: [observed({ remaining: 0, unit: "tokens" })],
  },
  {
    name: "OpenAI",
    headers: {
      "x-ratelimit-remaining-requests": "5",
      "x-ratelimit-limit-requests": "60",
      "x-ratelimit-reset-requests": "6m1.5s",
      "x-ratelimit-remaining-tokens": "9",
      "x-ratelimit-reset-tokens": "20ms",
    },
    expected: [
      observed({ remaining: 5, unit: "requests", limit: 60, resetAt: NOW + 361_500 }),
      observed({ remaining: 9, unit: "tokens", resetAt: NOW + 20 }),
    ],
  },
  {
    name: "Azure, in seconds",
    headers: {
      "x-ratelimit-remaining-requests": "119",
      "x-ratelimit-limit-requests": "120",
      "x-ratelimit-remaining-tokens": "119000",
      "x-ratelimit-reset-tokens": "12",
    },
    expected: [
      observed({ remaining: 119, unit: "requests", limit: 120 }),
      observed({ remaining: 119_000, unit: "tokens", resetAt: NOW + 12_000 }),
    ],
  },
  {
    name: "Azure, where -1 means unknown",
    headers: {
      "x-ratelimit-remaining-tokens": "-1",
      "x-ratelimit-limit-tokens": "-1",
      "x-ratelimit-reset-tokens": "0",
    },
    expected: [],
  },
  {
    name: "Anthropic",
    headers: {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-requests-reset": "2026-01-02T03:05:05Z",
      "anthropic-ratelimit-input-tokens-remaining": "29000",
      "anthropic-ratelimit-output-tokens-remaining": "8000",
      "anthropic-ratelimit-output-tokens-limit": "8000",
    },
    expected: [
      observed({ remaining: 49, unit: "requests", limit: 50, resetAt: at("2026-01-02T03:05:05Z") }),
      observed({ remaining: 29_000, unit: "input-tokens" }),
      observed({ remaining: 8000, unit: "output-tokens", limit: 8000 }),
    ],
  },
  {
    name: "OpenRouter, with milliseconds since 1970",
    headers: {
      "x-ratelimit-limit": "20",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": String(at("2026-01-02T03:05:00Z")),
    },
    expected: [observed({ remaining: 0, unit: "requests", limit: 20, resetAt: at("2026-01-02T03:05:00Z") })],
  },
  {
    name: "a gateway, with seconds since 1970",
    headers: { "x-ratelimit-remaining": "3", "x-ratelimit-reset": String(at("2026-01-02T03:05:00Z") / 1000) },
    expected: [observed({ remaining: 3, unit: "requests", resetAt: at("2026-01-02T03:05:00Z") })],
  },
  {
    name: "Groq",
    headers: {
      "x-ratelimit-limit-requests": "14400",
      "x-ratelimit-remaining-requests": "14370",
      "x-ratelimit-reset-requests": "2m59.56s",
      "x-ratelimit-limit-tokens": "18000",
      "x-ratelimit-remaining-tokens": "17997",
      "x-ratelimit-reset-tokens": "7.66s",
    },
    expected: [
      observed({ remaining: 14_370, unit: "requests", limit: 14_400, resetAt: NOW + 179_560 }),
      observed({ remaining: 17_997, unit: "tokens", limit: 18_000, resetAt: NOW + 7660 }),
    ],
  },
  {
    name: "Mistral",
    headers: {
      "x-ratelimit-limit-req-minute": "60",
      "x-ratelimit-remaining-req-minute": "58",
      "x-ratelimit-limit-tokens-minute": "500000",
      "x-ratelimit-remaining-tokens-minute": "499000",
    },
    expected: [
      observed({ remaining: 58, unit: "requests", limit: 60 }),
      observed({ remaining: 499_000, unit: "tokens", limit: 500_000 }),
    ],
  },
  {
    name: "Mistral, as it was before",
    headers: {
      "ratelimitbysize-limit": "500000",
      "ratelimitbysize-remaining": "498000",
      "ratelimitbysize-reset": "36",
    },
    expected: [observed({ remaining: 498_000, unit: "tokens", limit: 500_000, resetAt: NOW + 36_000 })],
  },
  {
    name: "Together",
    headers: {
      "x-ratelimit-limit": "60",
      "x-ratelimit-remaining": "59",
      "x-ratelimit-reset": "1",
      "x-tokenlimit-limit": "60000",
      "x-tokenlimit-remaining": "58000",
    },
    expected: [
      observed({ remaining: 59, unit: "requests", limit: 60, resetAt: NOW + 1000 }),
      observed({ remaining: 58_000, unit: "tokens", limit: 60_000 }),
    ],
  },
  {
    name: "Cerebras",
    headers: { "x-ratelimit-remaining-requests-day": "14399", "x-ratelimit-reset-requests-day": "33011.38" },
    expected: [observed({ remaining: 14_399, unit: "requests-day", resetAt: NOW + 33_011_380 })],
  },
  {
    name: "Fireworks",
    headers: { "x-ratelimit-remaining-tokens-prompt": "60000", "x-ratelimit-remaining-tokens-generated": "600" },
    expected: [
      observed({ remaining: 60_000, unit: "input-tokens" }),
      observed({ remaining: 600, unit: "output-tokens" }),
    ],
  },
  // Gemini answers without headers of its quota; a refusal names the delay.
  { name: "a retry-after alone", headers: { "retry-after": "30" }, expected: [] },
  {
    name: "a retry-after beside a rest without a reset",
    headers: { "x-ratelimit-remaining": "0", "retry-after": "30" },
    expected: [observed({ remaining: 0, unit: "requests", resetAt: NOW + 30_000 })],
  },
  {
    name: "a retry-after that is a date",
    headers: { "x-ratelimit-remaining": "0", "retry-after": "Fri, 02 Jan 2026 03:05:00 GMT" },
    expected: [observed({ remaining: 0, unit: "requests", resetAt: at("2026-01-02T03:05:00Z") })],
  },
  {
    name: "the IETF's RateLimit with its policy",
    headers: { ratelimit: '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60' },
    expected: [observed({ remaining: 50, unit: "requests", limit: 100, resetAt: NOW + 30_000 })],
  },
  {
    name: "the IETF's RateLimit with two policies",
    headers: {
      ratelimit: '"burst";r=9;t=1, "day";r=400',
      "ratelimit-policy": '"burst";q=10;w=1, "day";q=1000;w=86400',
    },
    expected: [
      observed({ remaining: 9, unit: "burst", limit: 10, resetAt: NOW + 1000 }),
      observed({ remaining: 400, unit: "day", limit: 1000 }),
    ],
  },
  {
    name: "the IETF's RateLimit of tokens",
    headers: { ratelimit: '"tokens";r=5000', "ratelimit-policy": '"tokens";q=9000;qu="tokens"' },
    expected: [observed({ remaining: 5000, unit: "tokens", limit: 9000 })],
  },
  {
    name: "an earlier draft in one header",
    headers: { ratelimit: "limit=100, remaining=50, reset=5" },
    expected: [observed({ remaining: 50, unit: "requests", limit: 100, resetAt: NOW + 5000 })],
  },
  {
    name: "an earlier draft in three headers",
    headers: { "ratelimit-limit": "100", "ratelimit-remaining": "50", "ratelimit-reset": "5" },
    expected: [observed({ remaining: 50, unit: "requests", limit: 100, resetAt: NOW + 5000 })],
  },
  { name: "a RateLimit that cannot be read", headers: { ratelimit: ";;=,,", "ratelimit-policy": "=" }, expected: [] },
  {
    name: "a reset that cannot be read",
    headers: { "x-ratelimit-remaining": "7", "x-ratelimit-reset": "soon" },
    expected: [observed({ remaining: 7, unit: "requests" })],
  },
  {
    name: "two forms of one unit, once",
    headers: { "x-ratelimit-remaining-requests": "5", "x-ratelimit-remaining": "6" },
    expected: [observed({ remaining: 5, unit: "requests" })],
  },
];

describe("quotaToEvents", () => {
  it.each(CASES)("quotaToEvents reads $name", ({ headers, expected }) => {
    expect(quotaToEvents((name) => headers[name], NOW)).toEqual(expected);
    expect(quotaToEvents((name) => new Headers(headers).get(name), NOW)).toEqual(expected);
  });
});
