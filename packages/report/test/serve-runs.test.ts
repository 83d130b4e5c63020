import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRun, definePolicy, isPhasekitError, review } from "@phasekit/core";
import { answerReview } from "@phasekit/core/adapter";
import { archiveRun, createMemoryStore, readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { reviewInbox, type ServedRuns, serveRuns } from "@phasekit/report/node";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { startBrowser } from "./browser.ts";
import { goodRun } from "./sample-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-live-"));
const store = createFileStore(folder);
const inbox = reviewInbox(join(folder, "reviews"), { pollMs: 20 });
let browser: Browser;
let served: ServedRuns;
const token = "a-token-for-tests";

beforeAll(async () => {
  await store.append("run-good", goodRun(), { after: 0 });
  served = await serveRuns({ store, token, answerReview: inbox.answerReview });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A request as anybody may send it, with any header. */
function ask(path: string, { method = "GET", headers = {}, body }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {}): Promise<{ readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    const request = sendRequest({ host: "127.0.0.1", port: served.port, path, method, headers: { host: `127.0.0.1:${String(served.port)}`, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => { text += chunk; }).on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    request.on("error", reject).end(body);
  });
}

const own = { "x-phasekit-token": token };

describe("who is let in", () => {
  test.each([
    ["the page with the token in its address", 200, () => ask(`/?token=${token}`)],
    ["the page without a token", 401, () => ask("/")],
    ["the page with a wrong token", 401, () => ask("/?token=other")],
    ["data with the token in a header", 200, () => ask("/api/runs", { headers: own })],
    ["data with the token in the address only", 401, () => ask(`/api/runs?token=${token}`)],
    ["another host name (a rebound one)", 403, () => ask("/api/runs", { headers: { ...own, host: "evil.example" } })],
    ["the right name with another port", 403, () => ask("/api/runs", { headers: { ...own, host: "127.0.0.1:1" } })],
    ["another page", 403, () => ask("/api/runs", { headers: { ...own, origin: "http://evil.example" } })],
    ["a page without an origin", 403, () => ask("/api/runs", { headers: { ...own, origin: "null" } })],
    ["a browser that says the request is from elsewhere", 403, () => ask("/api/runs", { headers: { ...own, "sec-fetch-site": "cross-site" } })],
    ["deleting", 405, () => ask("/api/runs/run-good", { method: "DELETE", headers: own })],
    ["an answer sent by a form", 415, () => ask("/api/runs/run-good/reviews/r1", { method: "POST", headers: { ...own, "content-type": "application/x-www-form-urlencoded" }, body: "verdict=approve" })],
    ["an answer without a verdict", 400, () => ask("/api/runs/run-good/reviews/r1", { method: "POST", headers: { ...own, "content-type": "application/json" }, body: "{}" })],
    ["an answer that is too large", 400, () => ask("/api/runs/run-good/reviews/r1", { method: "POST", headers: { ...own, "content-type": "application/json" }, body: JSON.stringify({ verdict: "approve", feedback: "x".repeat(100_000) }) })],
    ["posting elsewhere", 404, () => ask("/api/runs", { method: "POST", headers: { ...own, "content-type": "application/json" }, body: "{}" })],
    ["a run that is not there", 404, () => ask("/api/runs/run-none", { headers: own })],
    ["a path that climbs", 404, () => ask("/api/runs/..%2F..%2Fetc%2Fpasswd", { headers: own })],
  ] as const)("%s", async (_name, status, send) => {
    expect((await send()).status).toBe(status);
  });

  it("sends no header that would let other pages read it, and a strict policy", async () => {
    const { headers } = await ask(`/?token=${token}`);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  it("listens on this machine only", async () => {
    const failed = await serveRuns({ store, host: "0.0.0.0" }).catch((error: unknown) => error);
    expect(isPhasekitError(failed, "NOT_LOOPBACK")).toBe(true);
  });

  it("makes another token each time", async () => {
    const [a, b] = await Promise.all([serveRuns({ store: createMemoryStore() }), serveRuns({ store: createMemoryStore() })]);
    expect(new URL(a.url).searchParams.get("token")).not.toBe(new URL(b.url).searchParams.get("token"));
    await Promise.all([a.close(), b.close()]);
  });
});

describe("other pages in the same browser", () => {
  it("cannot read the runs, even when they know the token", async () => {
    const foreign = createServer((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<h1>foreign</h1>"));
    await new Promise<void>((resolve) => { foreign.listen(0, "127.0.0.1", resolve); });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${String((foreign.address() as AddressInfo).port)}/`);
    const result = await page.evaluate(async ([url, secret]) => {
      try {
        return await (await fetch(url!, { headers: { "x-phasekit-token": secret! } })).text();
      } catch (error) {
        return String(error);
      }
    }, [`http://127.0.0.1:${String(served.port)}/api/runs`, token]);
    expect(result).toContain("Failed to fetch");
    await page.close();
    foreign.close();
  });

  it("cannot come in under another name", async () => {
    const page = await browser.newPage();
    const response = await page.goto(`http://rebound.example:${String(served.port)}/?token=${token}`);
    expect(response?.status()).toBe(403);
    await page.close();
  });
});

describe("the live view", () => {
  it("shows an event that another process appends", async () => {
    const writer = spawn(process.execPath, [join(import.meta.dirname, "append-events.ts"), folder, "run-live"], { stdio: ["pipe", "pipe", "inherit"] });
    const closed = new Promise((resolve) => writer.once("close", resolve));
    await new Promise((resolve) => writer.stdout.once("data", resolve));
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.click("text=Written by another process");
    await page.waitForSelector(".event");
    expect(await page.textContent(".verdict")).toContain("running");
    expect(await page.locator("text=seen-live.ts").count()).toBe(0);
    writer.stdin.write("tool\n");
    await page.waitForSelector(".event:has-text('seen-live.ts')");
    writer.stdin.end("end\n");
    await page.waitForFunction(() => document.querySelector(".verdict")?.textContent.includes("done") === true);
    await page.close();
    await closed;
  });

  it("takes a person's answer to the run that waits for it", async () => {
    const asks = definePolicy({ name: "asks", decide: { "turn.started": (run) => (run.turn === 1 ? review({ kind: "danger", text: "May I delete the table?" }) : undefined) } });
    const run = createRun({ id: "run-review", mode: "gate", policies: [asks], task: { text: "Waits for a person" } });
    const archive = archiveRun(run, store);
    const answered = answerReview(run, run.beforeTurn(), (waiting) => inbox.waitForAnswer(run.id, waiting.review));
    await archive.flush();

    const page = await browser.newPage();
    await page.goto(`${served.url}#/run/run-review`);
    await page.waitForSelector(".review pre");
    expect(await page.textContent(".review pre")).toContain("May I delete the table?");
    await page.fill(".review textarea", "Use a copy instead.");
    await page.click("text=Needs changes");
    await page.waitForSelector("text=Answered.");
    await answered;
    await archive.flush();
    const last = (await readRun(store, run.id)).find((event) => event.type === "review.finished");
    expect(last).toMatchObject({ verdict: "needs-changes", feedback: "Use a copy instead." });
    await page.waitForFunction(() => document.querySelector(".review") === null);

    const again = await ask(`/api/runs/run-review/reviews/${encodeURIComponent(last?.review ?? "")}`, { method: "POST", headers: { ...own, "content-type": "application/json" }, body: JSON.stringify({ verdict: "approve" }) });
    expect([again.status, again.text]).toEqual([409, '{"error":"This review does not wait any more."}']);
    run.end();
    await archive.close();
    await page.close();
  });
});

describe("the review inbox", () => {
  it("gives an answer once, to the one who waits", async () => {
    const answer = inbox.waitForAnswer("run-a", "../../r1");
    expect(await inbox.answerReview("run-a", "../../r1", { verdict: "approve" })).toBe(true);
    expect(await inbox.answerReview("run-a", "../../r1", { verdict: "reject" })).toBe(false);
    expect(await answer).toEqual({ verdict: "approve" });
  });

  it("stops waiting when told to", async () => {
    await expect(inbox.waitForAnswer("run-b", "r", { signal: AbortSignal.timeout(30) })).rejects.toThrow();
  });
});
