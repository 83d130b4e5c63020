import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { renderReport } from "@phasekit/report/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { folderReport, openFile, type OpenOptions, type OpenPage, tooWide } from "./open-page.ts";
import { goodRun, loopingRun, shortRuns } from "./sample-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-folder-page-"));
let browser: Browser;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (html: string, options: OpenOptions = {}): Promise<OpenPage> =>
  openFile(html, { browser, folder, ...options });
const status = (page: Page): Promise<string | null> => page.textContent("[role=status]");

describe("a folder of runs", () => {
  const runs = [loopingRun(), goodRun(), loopingRun({ id: "run-observed", mode: "observe" })];

  it("the folder page sorts, filters and links to each run", async () => {
    const { page, problems } = await open(folderReport(runs).get("index.html")!);
    const titles = (): Promise<readonly string[]> => page.locator("tbody tr td:nth-child(2)").allTextContents();
    expect(await titles()).toHaveLength(3);
    await page.click("th button:has-text('Wasted')");
    const wasted = (await page.locator("td[data-name=Wasted]").allTextContents()).map(Number);
    expect(wasted).toEqual(wasted.toSorted((a, b) => b - a));
    expect(new Set(wasted).size).toBeGreaterThan(1);
    await page.fill("#search", "done proven rename");
    expect(await titles()).toEqual([expect.stringContaining("Rename total to sum")]);
    await page.click("tbody a");
    await page.waitForSelector(".verdict");
    expect(await page.textContent("h1")).toBe("Rename total to sum");
    expect(problems).toEqual([]);
    await page.close();
  });

  it("the compare page draws two runs on one axis", async () => {
    const { page } = await open(renderReport(runs.slice(0, 2), { compare: true }));
    await page.waitForSelector("figure.timeline >> nth=1");
    const ends = await page.locator(".timeline-axis span:last-child").allTextContents();
    expect(new Set(ends).size).toBe(1);
    expect(await page.textContent("table")).toContain("Wasted calls");
    await page.close();
  });

  it("the compare page shows one run under two policies", async () => {
    const { page } = await open(renderReport([loopingRun(), loopingRun({ mode: "observe" })], { compare: true }));
    await page.waitForSelector("figure.timeline >> nth=1");
    expect(await page.locator("figure.timeline figcaption").allTextContents()).toEqual([
      expect.stringMatching(/^A run-looping(?! )/),
      expect.stringContaining("B run-looping (2)"),
    ]);
    expect(await page.textContent("table tbody tr:first-child")).toBe("Outcomeaborted_stagnationdone_unverified");
    await page.close();
  });

  it("createFolderReport writes separate files for runs that exceed the size limit", async () => {
    const files = folderReport(runs, { maxBytes: 8_000 });
    const besides = [...files.keys()].filter((name) => name !== "index.html");
    expect(besides.length).toBeGreaterThan(0);
    for (const name of besides) {
      const { page } = await open(files.get(name)!);
      await page.waitForSelector(".verdict");
      await page.close();
    }
    const { page } = await open(files.get("index.html")!);
    expect(await page.locator("tbody tr").count()).toBe(3);
    expect(
      await page
        .locator("tbody a")
        .evaluateAll((links) =>
          links.map((link) => link.getAttribute("href")).filter((href) => href?.startsWith("runs/")),
        ),
    ).toHaveLength(besides.length);
    await page.close();
  });
});

describe("a folder of thousands of runs", () => {
  const COUNT = 3000;
  const html = folderReport(shortRuns(COUNT), {
    describeRun: (run) => ({ tool: "my-agent", project: `project-${String(Number(run.split("-")[1]) % 3)}` }),
  }).get("index.html")!;
  const runs = (page: Page): Promise<readonly (string | null)[]> =>
    page.locator("tbody tr:not(.gap):not(.group)").evaluateAll((rows) => rows.map((row) => row.dataset["row"] ?? null));

  it("draws only the rows on the screen, and the last ones at the end of the page", async () => {
    const { page, problems } = await open(html);
    const first = await runs(page);
    expect(first[0]).toBe(`short-${String(COUNT - 1)}`);
    expect(first.length).toBeLessThan(80);
    await page.keyboard.press("End");
    await page.waitForSelector('tr[data-row="short-0"]');
    expect((await runs(page)).length).toBeLessThan(80);
    // The place of a row is that of a table with all rows.
    expect(await page.getAttribute('tr[data-row="short-0"]', "aria-rowindex")).toBe(String(COUNT + 1));
    expect(problems).toEqual([]);
    await page.close();
  });

  it("groups by project, closes a group, and goes from row to row by keys", async () => {
    const { page } = await open(html);
    await page.keyboard.press("g");
    const heads = page.locator("tr.group");
    expect(await heads.first().textContent()).toMatch(/^project-\d 1,000 runs · 0 proven/);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await page.waitForSelector('tr.group button[aria-expanded="false"]');
    expect(await heads.nth(1).textContent()).toMatch(/^project-\d 1,000 runs/);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.closest("tr.chosen") !== null);
    const chosen = await page.getAttribute("tr.chosen", "data-row");
    await page.keyboard.press("x");
    expect(await page.locator("tr.chosen input").isChecked()).toBe(true);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".verdict");
    expect(page.url()).toContain(`#/run/${chosen ?? ""}`);
    await page.goBack();
    // The way back leads to the same view.
    await page.waitForSelector("tr.group");
    expect(await page.locator('tr.group button[aria-expanded="false"]').count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await page.locator("tr.chosen").count()).toBe(0);
    await page.close();
  });

  it("a column of the chart, and the days, leave the runs of these days", async () => {
    const { page } = await open(html);
    const column = page.locator(".trend-columns button").nth(3);
    const text = (await column.getAttribute("aria-label")) ?? "";
    const count = Number(/: ([\d,]+) runs?/.exec(text)?.[1]?.replace(",", ""));
    expect(count).toBeGreaterThan(0);
    await column.click();
    await page.waitForFunction(
      (wanted) => document.querySelector("[role=status]")?.textContent.startsWith(`${wanted} of`) === true,
      String(count),
    );
    expect(await column.getAttribute("aria-pressed")).toBe("true");
    const days = page.locator("input[type=date]");
    const [from, to] = [await days.first().inputValue(), await days.last().inputValue()];
    await page.click("text=Clear");
    expect(await status(page)).toBe(`${String(COUNT)} of ${COUNT.toLocaleString("en")} runs`);
    await days.first().fill(from);
    await days.last().fill(to);
    expect(await status(page)).toContain(`${String(count)} of`);
    await page.selectOption(".trend select", "Tokens");
    expect(await page.textContent("#trend-title")).toMatch(/^Tokens by/);
    await page.close();
  });

  it("paper gets every row", async () => {
    const { page } = await open(html);
    await page.fill("#search", "run 29");
    const found = Number(/^\d+/.exec((await status(page)) ?? "")?.[0]);
    expect(found).toBeGreaterThan(80);
    await page.emulateMedia({ media: "print" });
    await page.waitForFunction((count) => document.querySelectorAll("tbody tr").length === count, found);
    await page.setViewportSize({ width: 720, height: 1000 });
    expect(await tooWide(page)).toEqual([]);
    await page.close();
  });
});

describe("a shared page", () => {
  it("says what was removed, and has nothing to open that is gone", async () => {
    const { page, problems } = await open(renderReport([loopingRun()], { share: true }));
    expect(await page.textContent("aside.shared")).toMatch(/^Made to be shared\. Removed: 1 prompt, 1 answer, 16 tool/);
    expect(await page.textContent("h1")).toBe("Run 1");
    expect(await page.locator(".work .work-row").count()).toBeGreaterThan(0);
    expect(await page.locator(".work details, .claim").count()).toBe(0);
    expect(problems).toEqual([]);
    await page.close();
  });
});
