import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync as gunzip, gzipSync } from "node:zlib";
import { isPhasekitError, type RunEvent } from "@phasekit/core";
import { overviewOf, overviewToMarkdown } from "@phasekit/report";
import { renderReport } from "@phasekit/report/node";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser } from "./browser.ts";
import { accessProblems, folderReport, openFile, type OpenOptions, type OpenPage } from "./open-page.ts";
import { alertingRun, goodRun, hostileRun, longRun, loopingRun, namedPhasesRun } from "./sample-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-report-"));
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

const status = (page: Page): Promise<string | null> => page.textContent(".event-section [role=status]");
const wholeList = (page: Page, count: number): Promise<unknown> =>
  page.waitForFunction(
    (wanted) => document.querySelector(".event-section [role=status]")?.textContent === wanted,
    `${count.toLocaleString("en")} of ${count.toLocaleString("en")} events`,
  );

describe("a report opened from disk", () => {
  const run = loopingRun();

  it("the page explains why the run stopped and loads nothing", async () => {
    const { page, requests, problems } = await open(renderReport([run]));
    await wholeList(page, run.length);
    expect(await page.textContent("h1")).toBe("Prices in the cart ignore the tax: fix it and keep the tests green");
    expect(await page.textContent(".verdict")).toContain("Aborted stagnationIn verifying: the same failure");
    expect(await page.locator(".timeline .bar").count()).toBe(3);
    expect([requests, problems]).toEqual([[], []]);
    await page.close();
  });

  it("the / key focuses the search, and filters narrow the list", async () => {
    const { page } = await open(renderReport([run]));
    await wholeList(page, run.length);
    await page.keyboard.press("/");
    await page.keyboard.type("prisma refused");
    await page.waitForFunction(() => document.querySelectorAll(".event").length < 10);
    expect(await page.locator(".event .text").allTextContents()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Refused Bash/)]),
    );
    await page.fill("#search", "");
    await page.selectOption("select >> nth=0", "acting");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".event .phase")].every(({ textContent }) => textContent === "acting"),
    );
    expect(await status(page)).toMatch(/^\d+ of \d+ events$/);
    await page.close();
  });

  it("a permalink selects an event, and keys move on from it", async () => {
    const start = run.find(({ type, seq }) => type === "tool.finished" && seq >= 20)?.seq ?? 0;
    const { page, url } = await open(renderReport([run]), { hash: `#/run/run-looping/e/${String(start)}` });
    await page.waitForSelector(".event.chosen");
    expect(await page.getAttribute(".event.chosen", "data-seq")).toBe(String(start));
    expect(await page.textContent(".detail details pre")).toContain('"type": "tool.finished"');
    const chosen = (seq: number): Promise<unknown> => page.waitForSelector(`.event.chosen[data-seq="${String(seq)}"]`);
    const [first = 0, second = first] = overviewOf(run).loops.map(({ firstSeq }) => firstSeq);
    await page.keyboard.press("j");
    await chosen(start + 1);
    await page.keyboard.press("k");
    await chosen(start);
    await page.keyboard.press("]");
    await chosen(first);
    await page.keyboard.press("]");
    await chosen(second);
    await page.keyboard.press("[");
    await chosen(first);
    expect(page.url().startsWith(url)).toBe(true);
    await page.keyboard.press("?");
    expect(await page.textContent("aside.help")).toContain("next and previous loop");
    await page.close();
  });

  it("the theme button switches between light and dark", async () => {
    const { page } = await open(renderReport([run]), { colorScheme: "dark" });
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await ground();
    await page.click('[aria-label="Switch theme"]');
    expect(await ground()).not.toBe(dark);
    expect(await ground()).toBe("rgb(246, 247, 249)");
    await page.close();
  });

  it("a click on a phase shows its calls and costs, and a drag zooms into the timeline", async () => {
    const { page, problems } = await open(renderReport([run]));
    await wholeList(page, run.length);
    await page.click(".timeline .bar >> nth=2");
    const panel = page.locator("aside.panel");
    expect(await panel.textContent()).toContain("verifying#1");
    expect(await panel.textContent()).toMatch(/\d+ ×/);
    expect(await panel.textContent()).toContain("Costunknown");
    await page.click('[aria-label="Previous phase entry"]');
    expect(await panel.locator("h2").textContent()).toBe("acting#1");
    await page.keyboard.press("Escape");
    expect(await panel.count()).toBe(0);

    const labels = (): Promise<string[]> => page.locator(".timeline-axis span").allTextContents();
    const whole = await labels();
    const box = await page.locator(".timeline-plot").boundingBox();
    const [x, y, width] = [box?.x ?? 0, (box?.y ?? 0) + (box?.height ?? 0) - 6, box?.width ?? 0];
    await page.mouse.move(x + width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.7, y, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(
      (count) => document.querySelectorAll(".timeline-axis span").length !== count,
      whole.length,
    );
    expect(await labels()).not.toEqual(whole);
    await page.click("text=Whole run");
    expect(await labels()).toEqual(whole);
    await page.click('[aria-label="Zoom in"]');
    expect(await labels()).not.toEqual(whole);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("the timeline says what is under the pointer and what has the focus", async () => {
    const { page } = await open(renderReport([run]));
    await page.hover(".timeline .bar >> nth=1");
    expect(await page.textContent(".tip")).toMatch(/^acting#1: [\d.]+ s, advancedat [\d.]+ s/);
    await page.mouse.move(5, 5);
    expect(await page.locator(".tip").count()).toBe(0);
    await page.focus(".timeline .mark >> nth=0");
    expect(await page.textContent(".tip")).toContain("failed");
    await page.close();
  });

  it("a mark, the panel and the table count the same failed calls", async () => {
    // As many hosts report them: the call worked, its command did not.
    const quiet = run.map((event) => (event.type === "tool.finished" ? { ...event, outcome: "ok" as const } : event));
    const { page } = await open(renderReport([quiet]));
    await wholeList(page, run.length);
    const numbers = (selector: string): Promise<readonly number[]> =>
      page.locator(selector).evaluateAll((found) => found.map(({ textContent }) => Number(textContent)));
    const lanes = await page
      .locator(".timeline-names .row-mark")
      .evaluateAll((rows) =>
        rows
          .filter((row) => /^(?:failed calls|tests failed)/.test(row.textContent))
          .map((row) => Number(row.querySelector("b")?.textContent)),
      );
    const total = lanes.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(0);
    expect(await numbers(".spend tfoot td[data-name=Failed]")).toEqual([total]);
    await page.selectOption("select >> nth=2", "error");
    expect(await page.locator(".event.kind-tool, .event.kind-test").count()).toBe(total);
    await page.close();
  });

  it("a link to an event shows it, wherever the reader is on the page", async () => {
    const { page } = await open(renderReport([run]));
    await wholeList(page, run.length);
    await page.click("section[aria-labelledby=loops-title] a >> nth=0");
    // The page scrolls after the panel is there.
    await page.waitForFunction(() => {
      const top = document.querySelector(".detail header")?.getBoundingClientRect().top ?? -1;
      return top >= 0 && top < window.innerHeight;
    });
    await page.focus(".events");
    const seq = Number(await page.getAttribute(".event.chosen", "data-seq"));
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(`.event.chosen[data-seq="${String(seq + 1)}"]`);
    await page.close();
  });

  it("files open as diffs and checks as their output, and prompts are on the axis", async () => {
    const { page, problems } = await open(renderReport([loopingRun()]));
    const files = page.locator("section[aria-labelledby=files-title]");
    await files.locator("summary").first().click();
    expect(await files.locator("pre.diff").first().textContent()).toMatch(/^[-+] /m);
    const checks = page.locator("section[aria-labelledby=checks-title]");
    await checks.locator("summary").first().click();
    expect(await checks.locator("summary").first().textContent()).toContain("failed");
    expect(await checks.locator("pre").first().textContent()).not.toBe("");
    expect(await accessProblems(page)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it("Esc closes the panel of an event, then that of a phase", async () => {
    const { page } = await open(renderReport([loopingRun()]), { hash: "" });
    await page.click(".timeline .bar >> nth=2");
    await page.waitForSelector(".panel");
    await page.click(".events [role=row] >> nth=3");
    await page.waitForSelector(".detail");
    await page.keyboard.press("Escape");
    await page.waitForSelector(".detail", { state: "detached" });
    expect(await page.locator(".panel").count()).toBe(1);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".panel", { state: "detached" });
    await page.close();
  });

  it("the print view shows the findings on white, without controls and the event list", async () => {
    const { page } = await open(renderReport([run]));
    await page.click('[aria-label="Switch theme"]');
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const grounds = await page.evaluate(() =>
      [document.body, ...document.querySelectorAll(".card")].map((box) => getComputedStyle(box).backgroundColor),
    );
    expect(new Set(grounds)).toEqual(new Set(["rgb(255, 255, 255)"]));
    const isShown = (selector: string): Promise<boolean> => page.locator(selector).first().isVisible();
    expect(await Promise.all([".verdict", ".timeline .bar", ".finding-list li", ".spend table"].map(isShown))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await Promise.all([".bar-top", ".zoom", ".filters", ".event", ".copy"].map(isShown))).toEqual(
      Array.from({ length: 5 }, () => false),
    );
    await page.close();
  });

  it("sections without findings share one line", async () => {
    const { page } = await open(renderReport([goodRun()]));
    expect(await page.textContent(".nothing")).toBe("No loops or other alerts, no nudges.");
    expect(await page.locator("#loops-title, #nudges-title").count()).toBe(0);
    await page.close();
  });

  it("rows that say the same are one row with a count", async () => {
    const last = run.at(-1)!;
    const repeated = Array.from({ length: 50 }, (_, index) => ({
      type: "nudge.sent",
      seq: last.seq + index,
      at: last.at,
      by: "stall-reminder",
      nudge: `again-${String(index)}`,
      text: "Run the tests.",
      episode: "e",
      applied: false,
    })) as unknown as readonly RunEvent[];
    const { page } = await open(renderReport([[...run.slice(0, -1), ...repeated, { ...last, seq: last.seq + 50 }]]));
    const rows = page.locator("section[aria-labelledby=nudges-title] li");
    expect(await rows.last().textContent()).toMatch(
      /^Stall reminder50 ×not sent: Phasekit only watchedRun the tests\.\d+ … \d+$/,
    );
    await page.close();
  });

  it("one phase has one color in the chart, the panel and on the compare page", async () => {
    const { page } = await open(renderReport([loopingRun(), goodRun()], { compare: true }));
    await page.waitForSelector("figure.timeline >> nth=1");
    const colors = await page.evaluate(() =>
      [...document.querySelectorAll(".timeline-names .row-phase, .pairs > div")].map((row) => [
        (row.querySelector("dt") ?? row).textContent,
        getComputedStyle(row.querySelector("i") ?? row).backgroundColor,
      ]),
    );
    const byName = new Map<string, Set<string>>();
    for (const [name = "", color = ""] of colors) byName.set(name, (byName.get(name) ?? new Set()).add(color));
    expect([...byName].map(([name, found]) => [name, found.size])).toEqual([
      ["exploring", 1],
      ["acting", 1],
      ["verifying", 1],
    ]);
    expect(new Set(colors.map(([, color]) => color)).size).toBe(3);
    await page.close();
  });

  it("the copy button copies the run as Markdown", async () => {
    const { page } = await open(renderReport([run]), { permissions: ["clipboard-read", "clipboard-write"] });
    await page.click("text=Copy as Markdown");
    await page.waitForSelector(".copy button:text-is('Copied')");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(overviewToMarkdown(overviewOf(run)));
    expect(await page.locator(".copy textarea").count()).toBe(0);
    await page.close();
  });

  it("the copy button shows the Markdown if the browser denies the clipboard", async () => {
    const { page } = await open(renderReport([run]));
    await page.click("text=Copy as Markdown");
    expect(await page.inputValue(".copy textarea")).toBe(overviewToMarkdown(overviewOf(run)));
    expect(await page.textContent(".copy button")).toBe("Copy as Markdown");
    await page.close();
  });

  it("the page fits a phone with very long phase names and shows both ends of them", async () => {
    const names = [
      "collect",
      "summarise-what-was-collected-for-the-first-audience",
      "summarise-what-was-collected-for-the-second-audience",
    ] as const;
    const { page } = await open(renderReport([namedPhasesRun(names)]));
    expect(await page.locator(".timeline-names .row-phase").allTextContents()).toEqual([
      "collect",
      "summarise-what-wa…rst-audience",
      "summarise-what-wa…ond-audience",
    ]);
    expect(await page.getAttribute(".timeline-names li >> nth=1", "title")).toBe(names[1]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.close();
  });

  it("a section draws the first of thousands of alerts, and all of them on request", async () => {
    const { page } = await open(renderReport([alertingRun(1500)]));
    const rows = page.locator("section[aria-labelledby=loops-title] li");
    expect(await rows.count()).toBe(100);
    await page.click("text=Show all 1,500 findings");
    expect(await rows.count()).toBe(1500);
    expect(await page.locator("text=Show all").count()).toBe(0);
    await page.close();
  });

  it("the page shows hostile content as text", async () => {
    const { page, requests, problems } = await open(renderReport([hostileRun()]));
    await page.waitForSelector(".event");
    expect(await page.title()).not.toBe("hacked");
    expect(await page.locator("main script, main img, main svg[onload]").count()).toBe(0);
    expect(await page.textContent("h1")).toContain("<script>document.title='hacked'</script>");
    await page.click(".event >> nth=3");
    expect(await page.textContent(".detail")).toContain(String.raw`\u202e`);
    expect(await page.textContent("main")).not.toContain("\u202e");
    expect([requests, problems]).toEqual([[], []]);
    await page.close();
  });

  it("renderReport redacts secrets unless `redact` is false", () => {
    const secret = `sk-proj-${"a1B2".repeat(12)}`;
    const leaking = run.map((event) =>
      event.type === "tool.finished" ? { ...event, output: `token ${secret}` } : event,
    ) as unknown as readonly RunEvent[];
    const packed = (html: string): string =>
      [...html.matchAll(/<script type="application\/gzip"[^>]*>([^<]+)/g)]
        .map(([, data = ""]) => gunzipText(data))
        .join("\n");
    expect(packed(renderReport([leaking]))).not.toContain(secret);
    expect(packed(renderReport([leaking], { redact: false }))).toContain(secret);
  });

  it("renderReport throws if there is no run to show", () => {
    const code = (act: () => unknown): unknown => {
      try {
        act();
      } catch (error) {
        return isPhasekitError(error) ? error.code : error;
      }
      return undefined;
    };
    expect([
      code(() => renderReport([])),
      code(() => folderReport([])),
      code(() => renderReport([[]])),
      code(() => renderReport([run.slice(1)])),
    ]).toEqual(Array.from({ length: 4 }, () => "EMPTY_REPORT"));
    expect([run, undefined, ["{}"]].map((wrong) => code(() => renderReport(wrong as never)))).toEqual([
      "NOT_RUNS",
      "NOT_RUNS",
      "NOT_RUNS",
    ]);
  });
});

describe("a run of 50,000 events", () => {
  const run = longRun(50_000);
  const html = renderReport([run]);

  it("the page opens and filters without blocking", async () => {
    const file = join(folder, "long.html");
    writeFileSync(file, html);
    const page = await browser.newPage();
    await page.addInitScript(() => {
      const tasks: number[] = [];
      Object.assign(globalThis, { tasks });
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
        type: "longtask",
        buffered: true,
      });
    });
    await page.goto(pathToFileURL(file).href);
    await wholeList(page, run.length);
    const loading = await page.evaluate(() => performance.now());
    await page.fill("#search", "module-4999.ts");
    await page.waitForFunction(
      () => document.querySelector(".event-section [role=status]")?.textContent.startsWith("2 of") === true,
    );
    const longest = await page.evaluate(() =>
      Math.max(0, ...(globalThis as unknown as { readonly tasks: readonly number[] }).tasks),
    );
    // A page that reads all in one task spends nearly all of its time there. A busy machine may hold up one task.
    expect(longest).toBeLessThan(Math.max(200, loading / 2));
    expect(await page.locator(".event").count()).toBe(2);
    await page.close();
  });

  it("the file is at most 1.5 times its compressed events plus 150 kB", () => {
    const compressed = gzipSync(run.map((event) => JSON.stringify(event)).join("\n"), { level: 9 }).length;
    expect(html.length).toBeLessThan(1.5 * compressed + 150_000);
  });
});

function gunzipText(data: string): string {
  return gunzip(Buffer.from(data, "base64")).toString();
}
