import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createReviewInbox } from "./review-inbox.ts";

const folder = mkdtempSync(join(tmpdir(), "phasekit-inbox-"));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("createReviewInbox", () => {
  it.runIf(process.platform !== "win32")("answerReview does not read pipes, links and long files", async () => {
    const place = join(folder, "special");
    mkdirSync(place, { mode: 0o700 });
    const own = createReviewInbox(place, { pollMs: 5 });
    const question = JSON.stringify({ v: 1, run: "run-p", review: "r" });
    const file = (digit: string): string => join(place, `${digit.repeat(32)}.question.json`);
    writeFileSync(join(place, "elsewhere"), question);
    symlinkSync(join(place, "elsewhere"), file("1"));
    writeFileSync(file("2"), question + " ".repeat(70_000));
    execFileSync("sh", ["-c", 'mkfifo "$0"', file("3")]);
    const writer = spawn("sh", ["-c", 'cat "$0" > "$1"', join(place, "elsewhere"), file("3")], { stdio: "ignore" });
    expect(await own.answerReview("run-p", "r", { verdict: "approve" })).toBe(false);
    writer.kill();
    writeFileSync(file("4"), question);
    expect(await own.answerReview("run-p", "r", { verdict: "approve" })).toBe(true);
  });
});
