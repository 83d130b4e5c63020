import picocolors from "picocolors";
import { describe, expect, it, vi } from "vitest";
import { createFakeTty, keys } from "../../test/fake-tty.ts";
import { createTerminalScreen } from "../terminal-screen.ts";
import { textWidth } from "../clean-text.ts";
import { pickItem } from "./pick-item.ts";

const fruits: readonly string[] = ["apple pie", "banana", "cherry \u001b[2J\u202epie", "date"];

/** Opens a picker on a terminal and types. */
async function pickBy(
  typed: readonly string[],
  { columns = 60, rows = 20, items = fruits } = {},
): Promise<{ readonly picked: string | undefined; readonly written: string; readonly isRaw: boolean }> {
  const tty = createFakeTty({ columns, rows });
  const picking = pickItem({
    title: "Pick a fruit",
    items,
    text: String,
    screen: createTerminalScreen(tty),
    out: (text) => void tty.stdout.write(text),
    colors: picocolors.createColors(false),
    signal: new AbortController().signal,
  });
  for (const text of typed) {
    tty.type(text);
    // Bytes that arrive together are decoded together; a person types one key after the other.
    await new Promise((resolve) => setTimeout(resolve, text === keys.escape ? 80 : 2));
  }
  return { picked: await picking, written: tty.written(), isRaw: tty.isRaw() };
}

describe("pickItem", () => {
  it.each([
    { typed: [keys.enter], picked: "apple pie" },
    { typed: [keys.down, keys.enter], picked: "banana" },
    { typed: [keys.down, keys.down, keys.up, keys.enter], picked: "banana" },
    { typed: [keys.up, keys.enter], picked: "apple pie" },
    { typed: ["\u001b[F", keys.enter], picked: "date" },
    { typed: ["d", keys.enter], picked: "date" },
    { typed: ["PIE", keys.enter], picked: "apple pie" },
    { typed: ["p", "i", "e", " ", "c", "h", keys.enter], picked: fruits[2] },
    { typed: ["x", keys.enter, keys.back, keys.enter], picked: "apple pie" },
    { typed: ["d", keys.escape, keys.down, keys.enter], picked: "banana" },
    { typed: [keys.escape], picked: undefined },
    { typed: [keys.ctrlC], picked: undefined },
  ])("pickItem returns $picked after $typed", async ({ typed, picked }) => {
    expect(await pickBy(typed)).toMatchObject({ picked, isRaw: false });
  });

  it("pickItem leaves nothing behind and shows the cursor again", async () => {
    const { written } = await pickBy([keys.enter]);
    expect(written.startsWith("\u001b[?25l")).toBe(true);
    expect(written.endsWith("\u001b[5A\u001b[J\u001b[?25h")).toBe(true);
  });

  it("pickItem shows no control characters of foreign text", async () => {
    const { written } = await pickBy(["cherry", keys.enter]);
    expect(written).toContain("cherry pie");
    expect(written).not.toContain("\u001b[2J");
    expect(written).not.toContain("\u202e");
  });

  it("pickItem fits 40 columns and 8 rows", async () => {
    const items = Array.from({ length: 50 }, (_, index) => `${String(index)} · ${"Claude Code · my-app · ".repeat(4)}`);
    const { written, picked } = await pickBy(["\u001b[6~", "\u001b[6~", keys.down, keys.enter], {
      columns: 40,
      rows: 8,
      items,
    });
    expect(picked).toBe(items[21]);
    for (const line of written.split(/[\r\n]/)) expect(textWidth(line)).toBeLessThanOrEqual(40);
  });

  it("pickItem draws texts again that are completed later", async () => {
    const tty = createFakeTty();
    const item = { text: "one" };
    let redraw = (): void => undefined;
    const picking = pickItem({
      title: "Pick",
      items: [item],
      text: ({ text }) => text,
      screen: createTerminalScreen(tty),
      out: (text) => void tty.stdout.write(text),
      colors: picocolors.createColors(false),
      signal: new AbortController().signal,
      onOpen: (draw) => (redraw = draw),
    });
    item.text = "one · done";
    redraw();
    await vi.waitFor(() => {
      expect(tty.written()).toContain("one · done");
    });
    tty.type(keys.enter);
    expect(await picking).toBe(item);
  });
});
