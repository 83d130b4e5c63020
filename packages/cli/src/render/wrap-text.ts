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
