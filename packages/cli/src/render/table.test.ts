import { describe, expect, it } from "vitest";
import { textWidth } from "../clean-text.ts";
import { table } from "./table.ts";
import { wrapText } from "./wrap-text.ts";

const plain = (text: string): string => text;

describe("table", () => {
  const rows = [
    ["a very long name of something", "12"],
    ["short", "3"],
  ];

  it("table aligns cells, numbers to the right", () => {
    expect(table([{ head: "name" }, { head: "n", right: true }], rows, { width: 80, head: plain }))
      .toMatchInlineSnapshot(`
      [
        "name                            n",
        "a very long name of something  12",
        "short                           3",
      ]
    `);
  });

  it("table cuts flexible columns to fit the width", () => {
    const lines = table(
      [
        { head: "name", flexible: true },
        { head: "n", right: true },
      ],
      rows,
      { width: 20, head: plain },
    );
    expect(lines[1]).toBe("a very long nam…  12");
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(20);
  });

  it("table gives up columns if they do not fit, and names the numbers", () => {
    const columns = [
      { head: "age", right: true, alone: String },
      { head: "name", flexible: true },
      { head: "calls", right: true },
      { head: "" },
      { head: "end" },
    ];
    const one = table(columns, [["8 s", "my-app demo-loop", "1", "", "aborted_stagnation"]], {
      width: 30,
      head: plain,
    });
    expect(one[1]).toBe("  1 call · aborted_stagnation");
    expect(table(columns, [["8 s", "my-app demo-loop", "9", "", "aborted_stagnation"]], { width: 30, head: plain }))
      .toMatchInlineSnapshot(`
      [
        "8 s · my-app demo-loop",
        "  9 calls · aborted_stagnation",
      ]
    `);
  });

  it("the one of a number has the singular of its column", () => {
    const columns = [{ head: "policy" }, ...["nudges", "vetoes", "loops"].map((head) => ({ head, right: true }))];
    expect(table(columns, [["tests-fresh", "1", "1", "1"]], { width: 24, head: plain }).join(" ")).toMatch(
      /1 nudge\b.*1 veto\b.*1 loop\b/,
    );
  });

  it("table measures visible width, not characters or colors", () => {
    const lines = table(
      [{ head: "x" }, { head: "y" }],
      [
        ["\u001b[31m世界\u001b[0m", "a"],
        ["abcd", "b"],
      ],
      { width: 80, head: plain },
    );
    expect(lines.slice(1).map((line) => textWidth(line))).toEqual([7, 7]);
  });
});

describe("wrapText", () => {
  it.each([
    { text: "one two three", width: 7, lines: ["one two", "three"] },
    { text: "unbreakablelongword x", width: 5, lines: ["unbreakablelongword", "x"] },
    { text: "", width: 5, lines: [] },
  ])("wrapText wraps $text at $width", ({ text, width, lines }) => {
    expect(wrapText(text, width)).toEqual(lines);
  });
});
