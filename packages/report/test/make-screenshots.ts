// Makes the pictures of the documentation: node test/make-screenshots.ts, after a build.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFolderReport, renderReport } from "@phasekit/report/node";
import { startBrowser } from "./browser.ts";
import { goodRun, loopingRun } from "./sample-runs.ts";

const folder = join(import.meta.dirname, "../../../docs/images");
const pages = join(import.meta.dirname, "../.results");
mkdirSync(folder, { recursive: true });
mkdirSync(pages, { recursive: true });

const all = createFolderReport({ title: "Runs of this week" });
for (const run of [loopingRun(), goodRun(), loopingRun({ id: "run-observed", mode: "observe" })]) all.add(run);
const texts = {
  run: renderReport([loopingRun()]),
  folder: all.files().get("index.html") ?? "",
  compare: renderReport([loopingRun(), goodRun()], { compare: true }),
};

const browser = await startBrowser();
for (const [name, text] of Object.entries(texts)) {
  const file = join(pages, `${name}.html`);
  writeFileSync(file, text);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [1440, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
      await page.goto(pathToFileURL(file).href);
      await page.waitForSelector("h1");
      await page.waitForTimeout(500);
      // Small ones are for looking at, wide ones are shown.
      const path =
        width === 1440
          ? join(folder, `report-${name}-${colorScheme}.png`)
          : join(pages, `${name}-${colorScheme}-${String(width)}.png`);
      await page.screenshot({ path, fullPage: name !== "run" });
      await page.close();
    }
  }
}
await browser.close();
