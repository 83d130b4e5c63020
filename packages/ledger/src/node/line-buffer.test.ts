import { describe, expect, it } from "vitest";
import { seeded } from "./__fixtures__/known-log.ts";
import { COMMIT_ROOM, createLineBuffer } from "./line-buffer.ts";

const text = (bytes: Buffer): string => bytes.toString("utf8", 0, bytes.length - COMMIT_ROOM);

describe("createLineBuffer", () => {
  it("gives back what was added between two positions", () => {
    const lines = createLineBuffer();
    lines.add("one");
    const middle = lines.end();
    lines.add("zwei\nü€😀");
    expect(text(lines.flush(0, middle))).toBe("one\n");
    expect(text(lines.flush(middle, lines.end()))).toBe("zwei\nü€😀\n");
  });

  it("a commit line written behind a part leaves the rest alone", () => {
    const lines = createLineBuffer();
    lines.add("one");
    const middle = lines.end();
    lines.add("two");
    lines.flush(0, middle).fill(35, middle);
    expect(text(lines.flush(middle, lines.end()))).toBe("two\n");
  });

  it("takes back what was refused", () => {
    const lines = createLineBuffer();
    lines.add("kept");
    const end = lines.end();
    lines.add("refused");
    lines.cut(end);
    lines.add("next");
    expect(text(lines.flush(0, lines.end()))).toBe("kept\nnext\n");
  });

  it.each([
    { found: "b", skip: 1, is: true },
    { found: "b\nc", skip: 1, is: true },
    { found: "b", skip: 0, is: false },
    { found: "c\nd", skip: 2, is: false },
    { found: "c", skip: 7, is: false },
  ])("finds $found behind $skip lines: $is", ({ found, skip, is }) => {
    const lines = createLineBuffer();
    lines.add("a\nb\nc");
    expect(lines.includes(found, { position: 0, skip })).toBe(is);
  });

  it("holds the same bytes as a plain list, however it grows, is cut and forgets", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = seeded(seed);
      const lines = createLineBuffer();
      let all = "";
      let forgotten = 0;
      for (let step = 0; step < 60; step += 1) {
        const line = String(step).repeat(1 + Math.floor(random() ** 4 * 20_000));
        lines.add(line);
        all += `${line}\n`;
        if (random() < 0.2) {
          forgotten += Math.floor(random() * (all.length + 1 - forgotten));
          lines.forget(forgotten);
        }
        if (random() < 0.1) {
          const end = forgotten + Math.floor(random() * (all.length - forgotten));
          lines.cut(end);
          all = all.slice(0, end);
        }
        expect(lines.end()).toBe(all.length);
        if (text(lines.flush(forgotten, all.length)) !== all.slice(forgotten))
          throw new Error(`seed ${String(seed)}, step ${String(step)}`);
      }
    }
  });
});
