import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "@phasekit/ledger/node";
import { renderReport, type RunServer, serveRuns } from "@phasekit/report/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { accessProblems, folderReport, openFile, type OpenPage, openUrl, tooWide } from "./open-page.ts";
import { contradictedRun, goodRun, loopingRun } from "./sample-runs.ts";
import { usagePage } from "./usage-page.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-accessible-"));
const options = {
  prices: { source: "prices of a test", priceOf: () => ({ input: 3, output: 15 }) },
  describeRun: () => ({ tool: "Claude Code", project: "a-project-with-a-long-name" }),
};
let browser: Browser;
let served: RunServer;

beforeAll(async () => {
  const store = createFileStore(join(folder, "runs"));
  await store.append("run-good", goodRun(), { after: 0 });
  await store.append("run-looping", loopingRun(), { after: 0 });
  // Without its end, it is a run in progress.
  await store.append("run-open", loopingRun({ id: "run-open" }).slice(0, 30), { after: 0 });
  served = await serveRuns({ store });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Look {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
}

/** Opens everything that opens on the page of a run. */
async function openAll(page: Page): Promise<void> {
  await page.waitForSelector(".event");
  await page.click(".timeline .bar >> nth=1");
  await page.waitForSelector(".panel");
  await page.click(".events [role=row] >> nth=3");
  await page.waitForSelector(".detail");
  for (const summary of await page.locator(".work summary, .detail summary").all()) await summary.click();
}

const file =
  (html: () => string, act?: (page: Page) => Promise<void>) =>
  async (look: Look): Promise<OpenPage> => {
    const opened = await openFile(html(), { browser, folder, ...look });
    await act?.(opened.page);
    return opened;
  };

const live =
  (hash: string, wanted: string) =>
  async (look: Look): Promise<OpenPage> => {
    const opened = await openUrl(served.createUrl(), { browser, ...look });
    await opened.page.waitForSelector(".runs");
    await opened.page.goto(`${new URL(served.url).origin}/${hash}`);
    await opened.page.waitForSelector(wanted);
    return opened;
  };

const runs = [loopingRun(), goodRun(), loopingRun({ id: "run-observed", mode: "observe" })];
const folderPage = (): string => folderReport(runs, options).get("index.html") ?? "";

describe("every page, in light and dark, on a large screen and a phone", () => {
  it.each([
    ["run", file(() => renderReport([loopingRun()], options), openAll)],
    ["run with a claim that is not true", file(() => renderReport([contradictedRun()], options), openAll)],
    [
      "folder",
      file(folderPage, async (page) => {
        await page.keyboard.press("g");
        await page.keyboard.press("j");
        await page.keyboard.press("?");
        await page.waitForSelector("aside.help");
      }),
    ],
    ["compare", file(() => renderReport(runs.slice(0, 2), { compare: true, ...options }))],
    ["shared", file(() => renderReport(runs.slice(0, 1), { share: true, ...options }))],
    ["live folder", live("", ".runs")],
    ["live run", live("#/run/run-open", ".event")],
    ["usage", file(() => usagePage(folder))],
  ] as const)("the %s page has no accessibility problem, and nothing is beyond its edge", async (_name, show) => {
    for (const colorScheme of ["light", "dark"] as const)
      for (const width of [1440, 390]) {
        const { page, problems } = await show({ colorScheme, width });
        const at = `${colorScheme} ${String(width)}`;
        expect([at, await accessProblems(page)]).toEqual([at, []]);
        expect([at, await tooWide(page)]).toEqual([at, []]);
        expect(problems).toEqual([]);
        await page.close();
      }
  });
});
