import { textWidth } from "../clean-text.ts";

/** Breaks a text between words so that each line fits the width. A word that is longer stands alone. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line.trimEnd());
      line = word.trimStart();
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line.trimEnd()];
}
