import { textWidth } from "../clean-text.ts";

/** Breaks a text between words so that each line fits the width. A word that is longer stands alone. */
export function wrapText(text: string, width: number): readonly string[] {
  return wrapItems(text.split(" "), { width, between: " " });
}

/** Puts items on lines that fit the width; none is broken. */
export function wrapItems(items: readonly string[], { width, between = " · " }: { readonly width: number; readonly between?: string }): readonly string[] {
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
