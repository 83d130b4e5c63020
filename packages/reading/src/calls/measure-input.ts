import type { ToolInput } from "./tool-input.ts";

/** The size of what a call brings along. */
export interface InputSize {
  /** Distinct words, counted up to the wanted number; a path or an address counts as one. */
  readonly words: number;
  /** True if an argument has several lines, as a script or a patch has. */
  readonly lines: boolean;
}

const MAX_LENGTH = 8192;
const MAX_DEPTH = 4;

/** Measures the arguments of a call. Stops counting at `enough` words. */
export function measureInput(given: ToolInput, enough: number): InputSize {
  const words = new Set<string>();
  let lines = false;
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string") {
      const text = value.slice(0, MAX_LENGTH);
      lines ||= text.trim().includes("\n");
      collectWords(text, words, enough);
    } else if (value !== null && typeof value === "object")
      for (const item of Object.values(value)) if (words.size < enough) visit(item, depth + 1);
  };
  visit(given, 0);
  return { words: words.size, lines };
}

function collectWords(text: string, words: Set<string>, enough: number): void {
  for (const token of text.split(/\s+/)) {
    if (words.size >= enough) return;
    if (token.includes("/")) words.add(token);
    else for (const part of token.split(/[^\p{L}\p{N}]+/u)) if (part !== "") words.add(part);
  }
}
