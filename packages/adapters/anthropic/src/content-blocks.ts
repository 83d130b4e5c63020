import { listIn, type LooseObject, textIn, toObject } from "@phasekit/core/adapter";

/** Returns the members of an array as objects, else an empty list. */
export function objectsIn(value: unknown): readonly LooseObject[] {
  return listIn(value).map(toObject);
}

/** Returns the content of a message as blocks. A string is one text block. */
export function blocksOf(content: unknown): readonly LooseObject[] {
  if (typeof content !== "string") return objectsIn(content);
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** Returns the text blocks of a message or a tool result as one text. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .filter(({ type }) => type === "text")
    .map(({ text }) => textIn(text))
    .join("");
}
