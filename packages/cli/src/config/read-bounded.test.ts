import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseBoundedJson, readBounded } from "./read-bounded.ts";

const folder = mkdtempSync(join(tmpdir(), "pk-bounded-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("readBounded", () => {
  it("reads a file up to the limit, and refuses a larger one without reading it", () => {
    const path = join(folder, "file");
    writeFileSync(path, "1234");
    expect(readBounded(path, { maxBytes: 4 }).toString()).toBe("1234");
    expect(() => readBounded(path, { maxBytes: 3 })).toThrow("more than 3 bytes");
    // Sparse: it takes no place on the disk.
    truncateSync(path, 3_000_000_000);
    expect(() => readBounded(path, { maxBytes: 1000 })).toThrow("more than 1000 bytes");
  });

  it("refuses a folder, a device and a pipe without a writer", () => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [folder, "/dev/zero", pipe]) expect(() => readBounded(path, { maxBytes: 10 })).toThrow();
  });
});

describe("parseBoundedJson", () => {
  it.each(["{}", '{"a":[1,{"b":"]]]]["}]}', '"\\"[["', "[".repeat(32) + "]".repeat(32)])("parses %s", (text) => {
    expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  });

  it.each(["[".repeat(33) + "]".repeat(33), "[".repeat(200_000), `{"a":${"[".repeat(40)}`, "{", ""])(
    "refuses text %#",
    (text) => {
      expect(() => parseBoundedJson(text)).toThrow();
    },
  );
});
