import { mkdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** A real Chromium. Names that end in .example lead to this machine, as a rebound DNS name would. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await unpacked(),
    args: ["--no-sandbox", "--headless=shell", "--disable-gpu", "--host-resolver-rules=MAP *.example 127.0.0.1"],
    headless: true,
  });
}

/** The package unpacks the program into the folder for temporary files; a second process waits until it is whole. */
async function unpacked(): Promise<string> {
  const lock = join(tmpdir(), "phasekit-chromium.lock");
  while (!tryLock(lock)) await delay(50);
  try {
    return await chromium.executablePath();
  } finally {
    rmdirSync(lock);
  }
}

function tryLock(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
