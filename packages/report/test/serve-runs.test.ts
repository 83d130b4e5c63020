import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, request as sendRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createRun, definePolicy, isPhasekitError, review } from "@phasekit/core";
import { answerReview } from "@phasekit/core/adapter";
import { storeRun, createMemoryStore, readRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { reviewFolder, createReviewInbox, type RunServer, serveRuns } from "@phasekit/report/node";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { startBrowser } from "./browser.ts";
import { goodRun } from "./sample-runs.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-live-"));
const store = createFileStore(folder);
const inbox = createReviewInbox(join(folder, "reviews"), { pollMs: 20 });
let browser: Browser;
let served: RunServer;
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
function ask(
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Readonly<Record<string, unknown>> }> {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        host: "127.0.0.1",
        port: served.port,
        path,
        method,
        headers: { host: `127.0.0.1:${String(served.port)}`, ...headers },
      },
      (response) => {
        let text = "";
        response
          .setEncoding("utf8")
          .on("data", (chunk: string) => {
            text += chunk;
          })
          .on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
      },
    );
    request.on("error", reject).end(body);
  });
}

const own = { "x-phasekit-token": token };
const codeOf = (url: string): string => /^#code=(.+)$/.exec(new URL(url).hash)?.[1] ?? "";
const exchange = (code: string, body = JSON.stringify({ code })): ReturnType<typeof ask> =>
  ask("/api/session", { method: "POST", headers: { "content-type": "application/json" }, body });

describe("access to serveRuns", () => {
  test.each([
    ["the page, which holds no data", 200, () => ask("/")],
    ["data with the token in a header", 200, () => ask("/api/runs", { headers: own })],
    ["data with the token in the address only", 401, () => ask(`/api/runs?token=${token}`)],
    ["another host name (a rebound one)", 403, () => ask("/api/runs", { headers: { ...own, host: "evil.example" } })],
    ["the right name with another port", 403, () => ask("/api/runs", { headers: { ...own, host: "127.0.0.1:1" } })],
    ["another page", 403, () => ask("/api/runs", { headers: { ...own, origin: "http://evil.example" } })],
    ["a page without an origin", 403, () => ask("/api/runs", { headers: { ...own, origin: "null" } })],
    [
      "a browser that says the request is from elsewhere",
      403,
      () => ask("/api/runs", { headers: { ...own, "sec-fetch-site": "cross-site" } }),
    ],
    ["deleting", 405, () => ask("/api/runs/run-good", { method: "DELETE", headers: own })],
    [
      "an answer sent by a form",
      415,
      () =>
        ask("/api/runs/run-good/reviews/r1", {
          method: "POST",
          headers: { ...own, "content-type": "application/x-www-form-urlencoded" },
          body: "verdict=approve",
        }),
    ],
    [
      "an answer without a verdict",
      400,
      () =>
        ask("/api/runs/run-good/reviews/r1", {
          method: "POST",
          headers: { ...own, "content-type": "application/json" },
          body: "{}",
        }),
    ],
    [
      "an answer that is too large",
      400,
      () =>
        ask("/api/runs/run-good/reviews/r1", {
          method: "POST",
          headers: { ...own, "content-type": "application/json" },
          body: JSON.stringify({ verdict: "approve", feedback: "x".repeat(100_000) }),
        }),
    ],
    [
      "posting elsewhere",
      404,
      () => ask("/api/runs", { method: "POST", headers: { ...own, "content-type": "application/json" }, body: "{}" }),
    ],
    ["a run that is not there", 404, () => ask("/api/runs/run-none", { headers: own })],
    ["a path that climbs", 404, () => ask("/api/runs/..%2F..%2Fetc%2Fpasswd", { headers: own })],
  ] as const)("%s", async (_name, status, send) => {
    expect((await send()).status).toBe(status);
  });

  it("the server sends no CORS header and a strict content policy", async () => {
    const { headers } = await ask("/");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(headers["x-frame-options"]).toBe("DENY");
  });

  it("serveRuns refuses a host that is not a loopback address", async () => {
    const failed = await serveRuns({ store, host: "0.0.0.0" }).catch((error: unknown) => error);
    expect(isPhasekitError(failed, "NOT_LOOPBACK")).toBe(true);
  });

  it("every url has its own code, and codes of another server do not work", async () => {
    const other = await serveRuns({ store: createMemoryStore() });
    const codes = [other.url, other.createUrl(), served.createUrl()].map(codeOf);
    expect(new Set(codes).size).toBe(3);
    expect((await exchange(codes[0]!)).status).toBe(401);
    expect((await exchange(codes[2]!)).status).toBe(200);
    await other.close();
  });

  it("a code can be exchanged once for a token that reads the data", async () => {
    const code = codeOf(served.createUrl());
    const { status, text } = await exchange(code);
    expect(status).toBe(200);
    const { token: own } = JSON.parse(text) as { readonly token: string };
    expect((await ask("/api/runs", { headers: { "x-phasekit-token": own } })).status).toBe(200);
    expect((await exchange(code)).status).toBe(401);
    expect((await ask("/api/runs", { headers: { "x-phasekit-token": code } })).status).toBe(401);
    expect((await ask("/api/runs", { headers: { cookie: `phasekit-token=${own}` } })).status).toBe(401);
    for (const body of ["", "5", "null", "{}", '{"code":5}', '{"code":""}'])
      expect((await exchange("", body)).status).toBe(401);
  });
});

/** Sends bytes as they are: no library tidies them up. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(served.port, "127.0.0.1", () => socket.end(text));
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("close", () => resolve(answer)).on("error", reject);
  });
}

describe("requests in non-canonical form", () => {
  const raw = async (target: string, headers: readonly string[] = [], body = ""): Promise<string> => {
    const host = `127.0.0.1:${String(served.port)}`;
    const answer = await sendRaw(
      [
        `${body === "" ? "GET" : "POST"} ${target} HTTP/1.1`,
        ...(headers.some((line) => /^host:/i.test(line)) ? [] : [`Host: ${host}`]),
        ...headers.map((line) => line.replaceAll("HOST", host)),
        "Connection: close",
        ...(body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${String(body.length)}`]),
        "",
        body,
      ].join("\r\n"),
    );
    expect(answer).not.toContain("run-good");
    return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? "nothing";
  };
  const withToken = [`X-Phasekit-Token: ${token}`];

  test.each([
    ["two Host headers", "/", ["Host: HOST", "Host: HOST"], "400"],
    [
      "two Host headers, the second one foreign",
      "/api/runs",
      ["Host: HOST", "host: evil.example", ...withToken],
      "400",
    ],
    ["two tokens", "/api/runs", [...withToken, "X-Phasekit-Token: other"], "400"],
    ["two origins", "/", ["Origin: http://HOST", "Origin: http://evil.example"], "400"],
    ["an Origin without a scheme", "/api/runs", ["Origin: HOST", ...withToken], "403"],
    ["an Origin of another scheme", "/api/runs", ["Origin: https://HOST", ...withToken], "403"],
    ["an Origin of another name of this machine", "/api/runs", [`Origin: http://localhost:1`, ...withToken], "403"],
    ["only slashes", "//", [], "400"],
    ["slashes and a name", "//api/runs", withToken, "400"],
    ["a doubled slash", "/api//runs", withToken, "400"],
    ["a slash at the end", "/api/runs/", withToken, "400"],
    ["a dot segment", "/./api/runs", withToken, "400"],
    ["an encoded dot segment", "/%2e/api/runs", withToken, "400"],
    ["a climbing segment", "/x/../api/runs", withToken, "400"],
    ["an encoded letter", "/%61pi/runs", withToken, "400"],
    ["a broken encoding", "/api/runs/%zz", withToken, "400"],
    ["an encoded zero byte", "/api/runs/%00", withToken, "400"],
    ["a backslash", "/api\\runs", withToken, "400"],
    ["an absolute address", "http://127.0.0.1/api/runs", withToken, "400"],
    ["an absolute address of another host", "http://evil.example/api/runs", withToken, "400"],
    ["an asterisk", "*", withToken, "400"],
    ["a fragment", "/#code=x", [], "400"],
    ["a long address", `/${"a".repeat(9000)}`, withToken, "400"],
    ["the token in the address", `/api/runs?token=${token}`, [], "401"],
    ["the token in an address with dots", `/./api/runs?token=${token}`, [], "400"],
    ["the token in an encoded address", `/%61pi/runs?token=${token}`, [], "400"],
    ["the token in an absolute address", `http://x/api/runs?token=${token}`, [], "400"],
    ["the token in a cookie", "/api/runs", [`Cookie: token=${token}; phasekit-token=${token}`], "401"],
  ] as const)("%s", async (...[, target, headers, status]) => {
    expect(await raw(target, headers)).toBe(status);
  });

  it("a token in the url does not grant access to answer a review", async () => {
    const body = '{"verdict":"approve"}';
    for (const target of ["/api/runs/r/reviews/x", "/./api/runs/r/reviews/x", "/%61pi/runs/r/reviews/x"])
      expect(["400", "401"]).toContain(await raw(`${target}?token=${token}`, [], body));
  });
});

describe("other pages in the same browser", () => {
  it("a page of another origin cannot read the runs, even with the token", async () => {
    const foreign = createServer((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>foreign</h1>"),
    );
    await new Promise<void>((resolve) => {
      foreign.listen(0, "127.0.0.1", resolve);
    });
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${String((foreign.address() as AddressInfo).port)}/`);
    const result = await page.evaluate(
      async ([url, secret]) => {
        try {
          return await (await fetch(url!, { headers: { "x-phasekit-token": secret! } })).text();
        } catch (error) {
          return String(error);
        }
      },
      [`http://127.0.0.1:${String(served.port)}/api/runs`, token],
    );
    expect(result).toContain("Failed to fetch");
    await page.close();
    foreign.close();
  });

  it("a rebound host name is refused", async () => {
    const page = await browser.newPage();
    const response = await page.goto(`http://rebound.example:${String(served.port)}/`);
    expect(response?.status()).toBe(403);
    await page.close();
  });
});

/** Starts a process that writes a run into the folder of the server. */
async function startWriter(run: string): Promise<{
  readonly writer: ChildProcessByStdio<Writable, Readable, null>;
  readonly closed: Promise<unknown>;
}> {
  const writer = spawn(process.execPath, [join(import.meta.dirname, "append-events.ts"), folder, run], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const closed = new Promise((resolve) => writer.once("close", resolve));
  await new Promise((resolve) => writer.stdout.once("data", resolve));
  return { writer, closed };
}

describe("the live view", () => {
  it("the live page shows an event that another process appends", async () => {
    const { writer, closed } = await startWriter("run-live");
    const page = await browser.newPage();
    await page.goto(served.url);
    await page.waitForSelector("text=Written by another process");
    // The code is gone from the address, and was good for one browser.
    expect(page.url()).toBe(`http://127.0.0.1:${String(served.port)}/`);
    const stranger = await browser.newPage();
    await stranger.goto(served.url);
    expect(await stranger.textContent("[role=alert]")).toContain("401");
    await stranger.close();
    await page.reload();
    await page.click("text=Written by another process");
    await page.waitForSelector(".event");
    expect(await page.textContent(".verdict")).toContain("it is working");
    expect(await page.locator("text=seen-live.ts").count()).toBe(0);
    writer.stdin.write("tool\n");
    await page.waitForSelector(".event:has-text('seen-live.ts')");
    writer.stdin.end("end\n");
    await page.waitForFunction(() => document.querySelector(".verdict")?.textContent.includes("done") === true);
    await page.close();
    await closed;
  });

  it("the live page of a busy run shows it and keeps up", async () => {
    const { writer, closed } = await startWriter("run-busy");
    writer.stdin.write("busy\n");
    const page = await browser.newPage();
    await page.goto(served.createUrl());
    await page.waitForSelector("h1");
    await page.goto(`http://127.0.0.1:${String(served.port)}/#/run/run-busy`);
    const calls = async (): Promise<number> =>
      Number(/(\d+) calls?/.exec((await page.textContent(".head-meta")) ?? "")?.[1]);
    await page.waitForSelector(".head-meta");
    const before = await calls();
    // The writer never pauses; the counts grow all the same.
    await page.waitForFunction(
      (least) => Number(/(\d+) calls?/.exec(document.querySelector(".head-meta")?.textContent ?? "")?.[1]) > least,
      before,
    );
    writer.stdin.end("end\n");
    await page.waitForFunction(() => document.querySelector(".verdict")?.textContent.includes("done") === true);
    await page.close();
    await closed;
  });

  it("the list of runs counts the calls, phases and cost of a run in progress", async () => {
    const { writer, closed } = await startWriter("run-listed");
    writer.stdin.write("busy\n");
    const page = await browser.newPage();
    await page.goto(served.createUrl());
    await page.waitForFunction(() => {
      const row = [...document.querySelectorAll("tbody tr")].find((found) => found.querySelector(".is-live") !== null);
      return Number(row?.querySelector("td[data-name=Calls]")?.textContent) > 2;
    });
    expect(await page.locator("tr:has(.is-live) .phase-strip i").count()).toBeGreaterThan(0);
    writer.stdin.end("end\n");
    await closed;
    await page.close();
  });

  it("the live page shows a run whose process is gone as interrupted, with the counts of its log", async () => {
    const { writer, closed } = await startWriter("run-dead");
    writer.kill("SIGKILL");
    await closed;
    const page = await browser.newPage();
    await page.goto(served.createUrl());
    await page.waitForSelector("h1");
    await page.goto(`http://127.0.0.1:${String(served.port)}/#/run/run-dead`);
    await page.waitForSelector(".verdict");
    expect(await page.textContent(".head .pill")).toBe("interrupted");
    expect(await page.textContent(".head-meta")).toMatch(/ · 1 turn · /);
    await page.close();
  });

  it("the live page delivers an answer to the waiting run", async () => {
    const asks = definePolicy({
      name: "asks",
      decide: {
        "turn.started": (run) =>
          run.turn === 1 ? review({ kind: "danger", text: "May I delete the table?" }) : undefined,
      },
    });
    const run = createRun({ id: "run-review", mode: "gate", policies: [asks], task: { text: "Waits for a person" } });
    const stored = storeRun(run, store);
    const answered = answerReview(run, run.beforeTurn(), (waiting) => inbox.waitForAnswer(run.id, waiting.review));
    await stored.flush();

    const page = await browser.newPage();
    await page.goto(`${served.createUrl()}&/run/run-review`);
    await page.waitForSelector(".review pre");
    expect(await page.textContent(".review pre")).toContain("May I delete the table?");
    await page.fill(".review textarea", "Use a copy instead.");
    await page.click("text=Needs changes");
    await page.waitForSelector("text=Answer sent.");
    await answered;
    await stored.flush();
    const last = (await readRun(store, run.id)).find((event) => event.type === "review.finished");
    expect(last).toMatchObject({ verdict: "needs-changes", feedback: "Use a copy instead." });
    await page.waitForFunction(() => document.querySelector(".review") === null);

    const again = await ask(`/api/runs/run-review/reviews/${encodeURIComponent(last?.review ?? "")}`, {
      method: "POST",
      headers: { ...own, "content-type": "application/json" },
      body: JSON.stringify({ verdict: "approve" }),
    });
    expect([again.status, again.text]).toEqual([409, '{"error":"This review does not wait any more."}']);
    run.end();
    await stored.close();
    await page.close();
  });
});

describe("the review inbox", () => {
  it("createReviewInbox delivers an answer once, to the waiting reviewer", async () => {
    const answer = inbox.waitForAnswer("run-a", "../../r1");
    expect(await inbox.answerReview("run-a", "../../r1", { verdict: "approve" })).toBe(true);
    expect(await inbox.answerReview("run-a", "../../r1", { verdict: "reject" })).toBe(false);
    expect(await answer).toEqual({ verdict: "approve" });
  });

  it("answerReview accepts one of many answers, however fast the reviewer picks it up", async () => {
    const place = join(folder, "many-answers");
    const fast = createReviewInbox(place, { pollMs: 1 });
    for (let round = 0; round < 60; round += 1) {
      const answer = fast.waitForAnswer("run-m", `r${round}`);
      // Answers at every step of the reviewer's way to the first one.
      const accepted = await Promise.all(
        Array.from({ length: 30 }, async (_, turns) => {
          for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
          return await fast.answerReview("run-m", `r${round}`, { verdict: "approve" });
        }),
      );
      expect(accepted.filter(Boolean)).toHaveLength(1);
      expect(await answer).toEqual({ verdict: "approve" });
    }
    expect(readdirSync(place)).toEqual([]);
  });

  it("waitForAnswer stops on abort and removes its files", async () => {
    await expect(inbox.waitForAnswer("run-b", "r", { signal: AbortSignal.timeout(30) })).rejects.toThrow();
    expect(readdirSync(join(folder, "reviews"))).toEqual([]);
    expect(await inbox.answerReview("run-b", "r", { verdict: "approve" })).toBe(false);
  });

  it("waitForAnswer ignores an answer without the ticket", async () => {
    const place = join(folder, "forged");
    const own = createReviewInbox(place, { pollMs: 5 });
    const leaving = new AbortController();
    const waiting = own.waitForAnswer("run-c", "asks:1", { signal: leaving.signal });
    const [question = ""] = readdirSync(place);
    expect(question).toMatch(/^[0-9a-f]{32}\.question\.json$/);
    const ticket = question.slice(0, 32);
    // The file name that earlier versions used, a guess, and the right name without the ticket inside.
    const computed = createHash("sha256")
      .update(JSON.stringify(["run-c", "asks:1"]))
      .digest("hex")
      .slice(0, 32);
    for (const [name, ticketInside] of [
      [`${computed}.json`, computed],
      [`${computed}.answer.json`, computed],
      [`${"0".repeat(32)}.answer.json`, ticket],
      [`${ticket}.answer.json`, computed],
    ])
      writeFileSync(join(place, name!), JSON.stringify({ verdict: "approve", ticket: ticketInside }));
    const first = await Promise.race([waiting, delay(100, "still waiting")]);
    expect(first).toBe("still waiting");
    leaving.abort();
    await expect(waiting).rejects.toThrow();
  });

  it("waitForAnswer creates a new ticket each time, in a private folder", async () => {
    const place = join(folder, "own");
    const mask = process.umask(0);
    const leaving = new AbortController();
    const own = createReviewInbox(place, { pollMs: 5 });
    const both = [1, 2].map(() => own.waitForAnswer("r", "x:1", { signal: leaving.signal }));
    process.umask(mask);
    const names = readdirSync(place);
    expect(new Set(names).size).toBe(2);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    for (const name of names) expect(statSync(join(place, name)).mode & 0o777).toBe(0o600);
    leaving.abort();
    await Promise.allSettled(both);
    chmodSync(place, 0o777);
    await expect(own.waitForAnswer("r", "x:1")).rejects.toThrow("Other users can write");
    await expect(own.answerReview("r", "x:1", { verdict: "approve" })).rejects.toThrow("Other users can write");
  });

  it("reviewFolder is outside of the workspace", () => {
    expect(reviewFolder({ HOME: "/home/me" }, "linux")).toBe("/home/me/.local/state/phasekit/reviews");
    expect(reviewFolder({ HOME: "/home/me", XDG_STATE_HOME: "/state" }, "linux")).toBe("/state/phasekit/reviews");
    // A relative one would be in the workspace.
    expect(reviewFolder({ HOME: "/home/me", XDG_STATE_HOME: "state" }, "linux")).toContain("/home/me/");
  });
});
