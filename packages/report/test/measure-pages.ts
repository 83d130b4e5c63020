// Measures how long pages take to open: pnpm -C packages/report measure <page.html …>
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { startBrowser } from "./browser.ts";

const ROUNDS = 5;
/** A page without anything, which shows what the browser and the load of the machine take. */
const EMPTY = "data:text/html,<h1>empty</h1>";

interface Opening {
  /** Milliseconds until the first screen is drawn, and until all rows are there. */
  readonly first: number;
  readonly all: number;
  readonly longestTask: number;
}

const browser = await startBrowser();
const pages = process.argv.slice(2).map((path) => pathToFileURL(resolve(path)).href);
const found = new Map<string, Opening[]>();
// Rounds over all pages, so that a change of the load meets all of them.
for (let round = 0; round < ROUNDS; round += 1)
  for (const url of [EMPTY, ...pages]) found.set(url, [...(found.get(url) ?? []), await openOnce(browser, url)]);
await browser.close();

const empty = middle((found.get(EMPTY) ?? []).map(({ first }) => first));
console.log(
  `an empty page: ${empty.toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1) ?? "?"}; median of ${String(ROUNDS)}`,
);
for (const url of pages) {
  const own = found.get(url) ?? [];
  const of = (read: (opening: Opening) => number): string => middle(own.map(read)).toFixed(0).padStart(6);
  const times = [
    `first screen ${of(({ first }) => first)} ms`,
    `all events ${of(({ all }) => all)} ms`,
    `longest task ${of(({ longestTask }) => longestTask)} ms`,
  ];
  console.log(`${times.join(", ")}  ${url.split("/").slice(-2).join("/")}`);
}

async function openOnce(chromium: Browser, url: string): Promise<Opening> {
  const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    const tasks: number[] = [0];
    Object.assign(globalThis, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: "longtask",
      buffered: true,
    });
  });
  await page.goto(url);
  await page.waitForSelector("h1");
  const first = await page.evaluate(() => performance.now());
  await page.waitForFunction(
    () => document.querySelector(".event-section [role=status]")?.textContent.includes("loading") !== true,
  );
  const { all, tasks } = await page.evaluate(() => ({
    all: performance.now(),
    tasks: (globalThis as unknown as { readonly tasks?: readonly number[] }).tasks ?? [0],
  }));
  await page.close();
  return { first, all, longestTask: Math.max(...tasks) };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
