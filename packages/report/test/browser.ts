import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real Chromium. Names that end in .example lead to this machine, as a rebound DNS name would. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu", "--host-resolver-rules=MAP *.example 127.0.0.1"],
    headless: true,
  });
}
