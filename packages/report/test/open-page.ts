import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RunEvent } from "@phasekit/core";
import { createFolderReport, type FolderReportOptions } from "@phasekit/report/node";
import type { Browser, Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A page that is open in a browser. */
export interface OpenPage {
  readonly page: Page;
  readonly url: string;
  /** Everything the page asked for besides itself. */
  readonly requests: readonly string[];
  readonly problems: readonly string[];
}

/** How to open a page. */
export interface OpenOptions {
  readonly hash?: string;
  readonly colorScheme?: "light" | "dark";
  readonly permissions?: string[];
  /** @default 1440 */
  readonly width?: number;
}

/** Writes a page into a folder and opens it from there. */
export async function openFile(
  html: string,
  { browser, folder, hash = "", ...options }: OpenOptions & { readonly browser: Browser; readonly folder: string },
): Promise<OpenPage> {
  const file = join(folder, `report-${String(Math.round(performance.now() * 1000))}.html`);
  writeFileSync(file, html);
  return openUrl(`${pathToFileURL(file).href}${hash}`, { browser, ...options });
}

/** Opens a page. */
export async function openUrl(
  url: string,
  {
    browser,
    colorScheme = "light",
    permissions = [],
    width = 1440,
  }: Omit<OpenOptions, "hash"> & { readonly browser: Browser },
): Promise<OpenPage> {
  const page = await browser.newPage({ colorScheme, permissions, viewport: { width, height: 900 } });
  const requests: string[] = [];
  const problems: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("file:")) requests.push(request.url());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(url);
  await page.waitForSelector("h1");
  return { page, url: url.replace(/#.*$/, ""), requests, problems };
}

/** Returns what axe finds wrong with a page, however small. */
export async function accessProblems(page: Page): Promise<readonly string[]> {
  // The policy of the page forbids scripts that are added to it, so the checker goes in beside it.
  await page.evaluate(readFileSync(AXE, "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        readonly run: () => Promise<{
          readonly violations: readonly {
            readonly id: string;
            readonly nodes: readonly { readonly html: string }[];
          }[];
        }>;
      };
    };
    return (await axe.run()).violations.map(({ id, nodes }) =>
      [id, ...nodes.slice(0, 3).map(({ html }) => html)].join(" "),
    );
  });
}

/** Returns what is wider than the screen, or than its own box. */
export function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll(".card, .timeline-names li")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ className, textContent }) => `${className}: ${textContent.slice(0, 60)}`),
  );
}

/** The files of a folder report. */
export function folderReport(
  runs: readonly (readonly RunEvent[])[],
  options: FolderReportOptions = {},
): ReadonlyMap<string, string> {
  const report = createFolderReport(options);
  for (const events of runs) report.add(events);
  return report.files();
}
