import { type LooseObject, toObject } from "@phasekit/core/adapter";

/** A JSON object from the API. Compatible servers omit and add members, so every member is unknown. */
export type WireObject = LooseObject;

/** Returns the members of an array as objects, else an empty list. */
export function listIn(value: unknown): readonly WireObject[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

/** Returns the value if it is a string, else "". */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a non-empty string. */
export function nameIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the content of a message as blocks. A string is one text block. */
export function blocksOf(content: unknown): readonly WireObject[] {
  if (typeof content !== "string") return listIn(content);
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** Returns the text blocks of a message or a tool result as one text. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .filter(({ type }) => type === "text")
    .map(({ text }) => textIn(text))
    .join("");
}
