import { textWidth } from "../clean-text.ts";

/** Wraps a text at word boundaries. A word longer than the width gets its own line. */
export function wrapText(text: string, width: number): readonly string[] {
  return wrapItems(text.split(" "), { width, between: " " });
}

/** Wraps items to lines that fit the width, without breaking an item. */
export function wrapItems(
  items: readonly string[],
  { width, between = " · " }: { readonly width: number; readonly between?: string },
): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const item of items) {
    if (line !== "" && textWidth(line) + textWidth(between) + textWidth(item) > width) {
      lines.push(line.trimEnd());
      line = item.trimStart();
    } else line = line === "" ? item : `${line}${between}${item}`;
  }
  return line === "" ? lines : [...lines, line.trimEnd()];
}

/** Wraps a line that is wider than the terminal at words, with the indent of the line. */
export function wrapLine(line: string, width: number): readonly string[] {
  if (textWidth(line) <= width) return [line];
  const [indent = ""] = /^ */.exec(line) ?? [];
  return wrapText(line.trimStart(), width - indent.length).map((part) => indent + part);
}
