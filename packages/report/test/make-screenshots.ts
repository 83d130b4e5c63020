// Takes the pictures of the pages for the documentation: pnpm pictures, or pnpm -C packages/report screenshots.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFileStore } from "@phasekit/ledger/node";
import { renderReport, type RunServer, serveRuns } from "@phasekit/report/node";
import type { Browser, Page } from "playwright-core";
import { startBrowser } from "./browser.ts";
import { folderReport } from "./open-page.ts";
import { contradictedRun, goodRun, loopingRun } from "./sample-runs.ts";
import { usagePage } from "./usage-page.ts";

/** Pictures of the guides; the others are only for looking at. */
const docs = join(import.meta.dirname, "../../../docs/images");
const looks = join(import.meta.dirname, "../.results/pictures");
const LARGE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const QUALITY = 80;
const SCHEMES = ["light", "dark"] as const;
type Scheme = (typeof SCHEMES)[number];

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2026, 0, 5, 9);
const TASKS = ["Rename total to sum", "Show the discount in the cart", "Remove the old checkout", "Round prices up"];
const PROJECTS = ["shop", "blog", "payments"];

const run = loopingRun();
const options = {
  prices: { source: "list prices", priceOf: () => ({ input: 3, output: 15 }) },
  describeRun: (id: string) => ({ tool: "my-agent", project: PROJECTS[id.length % PROJECTS.length] }),
};

/** Runs of some weeks: most end well, one in three does not. */
const month = Array.from({ length: 40 }, (_, index) => {
  const start = FIRST_DAY + (index * 0.7 + Math.sin(index)) * DAY_MS;
  const id = `run-${"x".repeat(index % PROJECTS.length)}${String(index)}`;
  if (index % 7 === 3) return contradictedRun({ id, start });
  if (index % 5 === 1) return loopingRun({ id, start, mode: index % 2 === 0 ? "observe" : "gate" });
  return goodRun(id, { start, task: TASKS[index % TASKS.length] ?? "" });
});

interface Place {
  readonly url: string;
  /** Steps before the picture is taken. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const place = mkdtempSync(join(tmpdir(), "phasekit-pictures-"));
mkdirSync(looks, { recursive: true });
const fileUrl = (name: string, html: string): string => {
  const path = join(place, `${name}.html`);
  writeFileSync(path, html);
  return pathToFileURL(path).href;
};
const served = await serveLive();
const runUrl = fileUrl("run", renderReport([run], options));
const places: Readonly<Record<string, Place>> = {
  run: { url: runUrl },
  panel: {
    url: runUrl,
    act: async (page) => {
      await page.click(".timeline .bar >> nth=2");
      await page.mouse.move(2, 2);
    },
  },
  work: {
    url: fileUrl("work", renderReport([contradictedRun()], options)),
    act: async (page) => {
      for (const part of ["files", "checks"])
        await page.click(`section[aria-labelledby=${part}-title] summary >> nth=0`);
      await page.locator(".claim").evaluate((card) => scrollTo(0, card.getBoundingClientRect().top + scrollY - 60));
    },
  },
  folder: {
    url: fileUrl("folder", folderReport(month, { title: "Runs of this month", ...options }).get("index.html") ?? ""),
    act: (page) => page.keyboard.press("g"),
  },
  compare: { url: fileUrl("compare", renderReport([run, goodRun()], { compare: true, ...options })) },
  shared: { url: fileUrl("shared", renderReport([run], { share: true, ...options })) },
  live: { url: served.createUrl() },
  usage: { url: fileUrl("usage", usagePage(place)) },
};
/** The pictures that the guides show, by their look. */
const shown: ReadonlySet<string> = new Set([
  ...["run-light", "run-dark", "run-dark-phone", "panel-light", "work-light"],
  ...["folder-light", "folder-light-phone", "compare-light", "live-dark", "usage-light"],
]);

const browser = await startBrowser();
for (const [name, where] of Object.entries(places))
  for (const scheme of SCHEMES) for (const size of [LARGE, PHONE]) await take(browser, { name, where, scheme, size });
await browser.close();
await served.close();
rmSync(place, { recursive: true, force: true });
console.log(
  `Wrote ${String(shown.size)} pictures to docs/images; all of them are in packages/report/.results/pictures.`,
);

async function take(
  chromium: Browser,
  {
    name,
    where: { url, act },
    scheme,
    size,
  }: { readonly name: string; readonly where: Place; readonly scheme: Scheme; readonly size: typeof LARGE },
): Promise<void> {
  const look = `${name}-${scheme}${size === PHONE ? "-phone" : ""}`;
  const page = await chromium.newPage({ viewport: size, colorScheme: scheme });
  await page.goto(name === "live" ? served.createUrl() : url);
  await page.waitForSelector("h1");
  await page.waitForLoadState("networkidle");
  await act?.(page);
  await page.evaluate(() => document.fonts.ready);
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(looks, `${look}.png`) });
  if (shown.has(look)) {
    // A fraction of the size of a PNG.
    const session = await page.context().newCDPSession(page);
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    writeFileSync(join(docs, `report-${look}.webp`), Buffer.from(data, "base64"));
  }
  await page.close();
}

/** A server with some runs, one of them in progress. */
async function serveLive(): Promise<RunServer> {
  const store = createFileStore(join(place, "runs"));
  for (const events of month.slice(0, 9))
    if (events[0]?.type === "run.started") await store.append(events[0].run, events, { after: 0 });
  return serveRuns({ store, prices: options.prices, title: "Runs in this project" });
}
