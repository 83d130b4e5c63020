import { defined } from "../text/defined.ts";
import type { NewEvent } from "../events/run-event.ts";
import { tableOf } from "../text/table-of.ts";

type Header = (name: string) => string | null | undefined;

/** The values of one quota, as they were sent. */
type Quota = Readonly<Partial<Record<"remaining" | "limit" | "reset", string | null | undefined>>>;

/** One quota of a provider: what is counted, and the headers that say how much remains, of how much, until when. */
interface QuotaHeaders {
  readonly unit: string;
  readonly remaining: string;
  readonly limit: string;
  readonly reset: string;
}

/** Headers `<start>-remaining<end>`, `<start>-limit<end>` and `<start>-reset<end>`. */
function named(unit: string, start: string, end = ""): QuotaHeaders {
  return {
    unit,
    remaining: `${start}-remaining${end}`,
    limit: `${start}-limit${end}`,
    reset: `${start}-reset${end}`,
  };
}

/** Every form that large providers send. With two rows for one unit, the first that is there counts. */
const QUOTAS = /* @__PURE__ */ listQuotas();

function listQuotas(): readonly QuotaHeaders[] {
  return [
    // OpenAI, Azure, Groq, and what is compatible with them.
    named("requests", "x-ratelimit", "-requests"),
    named("tokens", "x-ratelimit", "-tokens"),
    // Mistral, Cerebras.
    named("requests", "x-ratelimit", "-req-minute"),
    named("requests", "x-ratelimit", "-requests-minute"),
    named("tokens", "x-ratelimit", "-tokens-minute"),
    named("tokens", "x-ratelimitbysize", "-minute"),
    named("tokens", "ratelimitbysize"),
    named("requests-day", "x-ratelimit", "-requests-day"),
    named("tokens-day", "x-ratelimit", "-tokens-day"),
    // Fireworks.
    named("input-tokens", "x-ratelimit", "-tokens-prompt"),
    named("output-tokens", "x-ratelimit", "-tokens-generated"),
    // Anthropic.
    ...["requests", "tokens", "input-tokens", "output-tokens"].map((unit) =>
      named(unit, `anthropic-ratelimit-${unit}`),
    ),
    // OpenRouter, Together, and most gateways.
    named("requests", "x-ratelimit"),
    named("tokens", "x-tokenlimit"),
    // Earlier drafts of the IETF.
    named("requests", "ratelimit"),
  ];
}

/**
 * Turns the rate-limit headers of an answer into events, one per unit: those of OpenAI, Azure, Anthropic, OpenRouter,
 * Groq, Mistral, Together, Fireworks and Cerebras, and `RateLimit` of the IETF. A `retry-after` alone says nothing
 * about what remains; it is the reset of a quota that names none. `now` is the time of the answer.
 */
export function quotaToEvents(header: Header, now: number): readonly NewEvent<"quota.observed">[] {
  const events = new Map<string, NewEvent<"quota.observed">>();
  const waits = header("retry-after");
  const add = (unit: string, quota: Quota): void => {
    const remaining = toCount(quota.remaining);
    if (remaining === undefined || events.has(unit)) return;
    const limit = toCount(quota.limit);
    const resetAt = toTime(quota.reset, now) ?? toTime(waits, now);
    events.set(unit, {
      type: "quota.observed",
      remaining,
      unit,
      ...defined({ limit, resetAt }),
    });
  };
  for (const { unit, remaining, limit, reset } of QUOTAS)
    add(unit, { remaining: header(remaining), limit: header(limit), reset: header(reset) });
  for (const { unit, ...quota } of standardQuotas(header)) add(unit, quota);
  return [...events.values()];
}

/** `RateLimit: "day";r=50;t=30` with `RateLimit-Policy: "day";q=100;w=60`, and `limit=100, remaining=50, reset=5`. */
function standardQuotas(
  header: Header,
): readonly { unit: string; remaining?: string; limit?: string; reset?: string }[] {
  const [first, ...rest] = itemsOf(header("ratelimit"));
  if (first === undefined) return [];
  const old = new Map([first, ...rest].map(({ name, value }) => [name, value]));
  if (old.has("remaining"))
    return [{ unit: "requests", ...pick(old, { remaining: "remaining", limit: "limit", reset: "reset" }) }];
  const policies = new Map(itemsOf(header("ratelimit-policy")).map(({ name, members }) => [name, members]));
  return [first, ...rest].map(({ name, members }) => {
    const policy = policies.get(name);
    const unit = /token/.test(policy?.get("qu") ?? name) ? "tokens" : "requests";
    return {
      unit: rest.length === 0 ? unit : name,
      ...pick(members, { remaining: "r", reset: "t" }),
      ...(policy !== undefined && pick(policy, { limit: "q" })),
    };
  });
}

interface Item {
  readonly name: string;
  readonly value: string;
  readonly members: ReadonlyMap<string, string>;
}

/** The items of a structured header: `"name";a=1;b=2, other=3`. */
function itemsOf(text: string | null | undefined): readonly Item[] {
  return (text ?? "")
    .split(",")
    .filter((item) => item.trim() !== "")
    .map((item) => {
      const [[name, value], ...members] = item.split(";").map(memberOf) as [Member, ...Member[]];
      return { name, value, members: new Map(members) };
    });
}

type Member = readonly [name: string, value: string];

function memberOf(text: string): Member {
  const [name = "", value = ""] = text.split("=");
  return [unquoted(name).toLowerCase(), unquoted(value)];
}

const unquoted = (text: string): string => text.trim().replace(/^"(.*)"$/, "$1");

function pick<K extends string>(
  members: ReadonlyMap<string, string>,
  names: Readonly<Record<K, string>>,
): Partial<Record<K, string>> {
  return Object.fromEntries(
    Object.entries<string>(names).flatMap(([key, name]) => {
      const value = members.get(name);
      return value === undefined ? [] : [[key, value]];
    }),
  ) as Partial<Record<K, string>>;
}

/** A count. Azure sends -1 for one that it does not know. */
function toCount(text: string | null | undefined): number | undefined {
  const number = toNumber(text);
  return number === undefined || number < 0 ? undefined : number;
}

function toNumber(text: string | null | undefined): number | undefined {
  const number = text === null || text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Seconds since 1970 are above this number, seconds from now below it. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

/** A time as providers write it: seconds from now, a duration, seconds or milliseconds since 1970, a date. */
function toTime(text: string | null | undefined, now: number): number | undefined {
  if (text === null || text === undefined) return undefined;
  const number = toNumber(text);
  if (number !== undefined) {
    if (number < 0) return undefined;
    return number >= EPOCH_MS ? number : number >= EPOCH_SECONDS ? number * 1000 : now + number * 1000;
  }
  const duration = toMs(text);
  if (duration !== undefined) return now + duration;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

const MS: Readonly<Record<string, number>> = /* @__PURE__ */ tableOf({
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
});

/** Durations as providers write them: `6m0s`, `1.5s`, `20ms`. */
function toMs(text: string): number | undefined {
  if (!/^\s*(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+\s*$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  return parts.reduce((sum, [, value, unit = ""]) => sum + Number(value) * (MS[unit] ?? 0), 0);
}
