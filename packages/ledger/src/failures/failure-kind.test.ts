import { describe, expect, it } from "vitest";
import { failureKindOf } from "./failure-kind.ts";

describe("failureKindOf", () => {
  it.each([
    ["bash: pnpm: command not found", "prerequisite"],
    ["Error: Cannot find module 'vitest'", "prerequisite"],
    ["ModuleNotFoundError: No module named 'requests'", "prerequisite"],
    ["remote: Invalid username or password. fatal: Authentication failed", "prerequisite"],
    ["ENOSPC: no space left on device, write", "environment"],
    ["touch: cannot touch 'a': Read-only file system", "environment"],
    ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock", "environment"],
    ["Error: listen EADDRINUSE: address already in use :::3000", "environment"],
    ["npm ERR! network request failed, reason: connect ETIMEDOUT", "transient"],
    ["sqlite3.OperationalError: database is locked", "transient"],
    ["HTTP 503 Service Unavailable", "transient"],
    ["The acceptance criteria are contradictory", "story_invalid"],
    ["AssertionError: expected 1 to be 2", undefined],
    ["", undefined],
  ])("%j is %s", (text, kind) => {
    expect(failureKindOf(text)).toBe(kind);
  });

  it("reads the end of a long output", () => {
    expect(failureKindOf(`${"line\n".repeat(100_000)}sh: 1: tsc: command not found`)).toBe("prerequisite");
  });
});
