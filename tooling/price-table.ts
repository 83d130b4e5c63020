import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./workspace.ts";

/**
 * Writes the built-in list prices of the CLI anew from the npm package `@pydantic/genai-prices`:
 * `node tooling/start.mjs tooling/price-table.ts [version] [...models to add]`. Prints the models that are not in the table. Needs npm
 * and the registry. Look at the difference before you commit it.
 */
const [version = "latest", ...added] = process.argv.slice(2);
const PACKAGE = "@pydantic/genai-prices";
const FILE = join(root, "packages/cli/src/money/price-table.json");
const PROVIDERS = ["anthropic", "openai", "google", "x-ai", "mistral", "moonshotai"];

type Amount =
  number | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] };
type Prices = Readonly<Record<string, Amount>>;
interface Match {
  readonly or?: readonly Match[];
  readonly equals?: string;
  readonly starts_with?: string;
}
interface Model {
  readonly id: string;
  readonly match: Match;
  readonly prices:
    Prices | readonly { readonly prices: Prices; readonly constraint?: { readonly start_date?: string } }[];
}
interface Library {
  readonly findProvider: (query: { readonly providerId: string }) => { readonly models: readonly Model[] } | undefined;
}

/** Our member for each price of the package. A model with other prices per token, such as for audio, is left out. */
const MEMBERS: Readonly<Record<string, string>> = {
  input_mtok: "input",
  output_mtok: "output",
  cache_read_mtok: "cachedInput",
  cache_write_mtok: "cacheWrite",
  cache_write_1h_mtok: "longCacheWrite",
};

const place = mkdtempSync(join(tmpdir(), "phasekit-prices-"));
try {
  execFileSync("npm", ["install", "--silent", "--ignore-scripts", "--prefix", place, `${PACKAGE}@${version}`]);
  const folder = join(place, "node_modules", PACKAGE);
  const library = (await import(join(folder, "dist/index.js"))) as Library;
  const { version: used } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const times = JSON.parse(execFileSync("npm", ["view", PACKAGE, "time", "--json"], { encoding: "utf8" })) as Record<
    string,
    string
  >;
  const date = times[used]?.slice(0, 10) ?? "";
  const before = JSON.parse(readFileSync(FILE, "utf8")) as { readonly prices: Readonly<Record<string, unknown>> };
  const isListed = (name: string): boolean => Object.hasOwn(before.prices, name) || added.includes(name);
  const prices = new Map<string, object>();
  const unlisted: string[] = [];
  for (const providerId of PROVIDERS)
    for (const model of library.findProvider({ providerId })?.models ?? []) {
      const price = priceOf(model, date);
      const names = namesOf(model);
      if (price === undefined) continue;
      for (const name of names) if (isListed(name) && !prices.has(name)) prices.set(name, price);
      if (!names.some(isListed)) unlisted.push(model.id);
    }
  const all = { ...before.prices, ...Object.fromEntries(prices) };
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, JSON.stringify({ date, source: `${PACKAGE} ${used}`, prices: sorted }));
  execFileSync(join(root, "node_modules/.bin/prettier"), ["--write", FILE]);
  console.log(`Not in the table: ${unlisted.join(", ")}`);
  console.log(`Wrote ${String(prices.size)} models of ${PACKAGE} ${used}, ${date}.`);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** The names a model is known by, in the form of the table. */
function namesOf({ id, match }: Model): readonly string[] {
  const names = (part: Match): readonly string[] => [
    ...(part.or ?? []).flatMap(names),
    ...[part.equals, part.starts_with].filter((name) => name !== undefined),
  ];
  return [...new Set([id, ...names(match)].map((name) => name.replaceAll(".", "-")))];
}

/** The prices of a model on a day; `undefined` if it does not only read and write text. */
function priceOf({ prices }: Model, date: string): object | undefined {
  const current = Array.isArray(prices)
    ? (
        prices as readonly { readonly prices: Prices; readonly constraint?: { readonly start_date?: string } }[]
      ).findLast(({ constraint }) => constraint === undefined || (constraint.start_date ?? "9") <= date)?.prices
    : (prices as Prices);
  if (current?.["input_mtok"] === undefined || current["output_mtok"] === undefined) return undefined;
  if (Object.keys(current).some((key) => key.endsWith("_mtok") && MEMBERS[key] === undefined)) return undefined;
  const known = Object.entries(MEMBERS).flatMap(([key, member]) => {
    const amount = current[key];
    return amount === undefined ? [] : [{ member, amount }];
  });
  const starts = [
    ...new Set(
      known.flatMap(({ amount }) => (typeof amount === "number" ? [] : amount.tiers.map(({ start }) => start))),
    ),
  ];
  const at = (over: number): object =>
    Object.fromEntries(
      known.map(({ member, amount }) => [
        member,
        typeof amount === "number"
          ? amount
          : (amount.tiers.findLast(({ start }) => start <= over)?.price ?? amount.base),
      ]),
    );
  return {
    ...at(0),
    ...(starts.length > 0 && {
      tiers: starts.map((start) => ({ overTokens: Math.round(start / 1000) * 1000, ...at(start) })),
    }),
  };
}
