// Makes the pictures of the documentation: node test/make-screenshots.ts, after a build.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFolderReport, renderReport } from "@phasekit/report/node";
import type { Page } from "playwright-core";
import { startBrowser } from "./browser.ts";
import { goodRun, loopingRun } from "./sample-runs.ts";

const folder = join(import.meta.dirname, "../../../docs/images");
const pages = join(import.meta.dirname, "../.results");
mkdirSync(folder, { recursive: true });
mkdirSync(pages, { recursive: true });

const options = {
  prices: { source: "list prices", priceOf: () => ({ input: 3, output: 15 }) },
  describeRun: () => ({ tool: "my-agent", project: "shop" }),
};
const all = createFolderReport({ title: "Runs of this week", ...options });
for (const run of [loopingRun(), goodRun(), loopingRun({ id: "run-observed", mode: "observe" })]) all.add(run);
const run = renderReport([loopingRun()], options);

interface Picture {
  readonly html: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly act?: (page: Page) => Promise<unknown>;
}

const pictures: Readonly<Record<string, Picture>> = {
  "report-run-light": { html: run },
  "report-run-dark": { html: run, dark: true },
  "report-panel": { html: run, act: (page) => page.click(".timeline .bar >> nth=2") },
  "report-folder": { html: all.files().get("index.html") ?? "", height: 620 },
  "report-compare": { html: renderReport([loopingRun(), goodRun()], { compare: true, ...options }) },
  "report-phone": { html: run, width: 390, height: 800, dark: true },
};

const browser = await startBrowser();
for (const [name, { html, width = 1280, height = 800, dark = false, act }] of Object.entries(pictures)) {
  const file = join(pages, `${name}.html`);
  writeFileSync(file, html);
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("h1");
  await page.waitForTimeout(500);
  await act?.(page);
  await page.waitForTimeout(200);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}
await browser.close();
