import { hashText } from "../text/hash.ts";
import type { LooseObject } from "../text/loose-object.ts";

/** Turns the text of a message into its length, hash and excerpt. Other events stay as they are. */
export function describeMessage(source: LooseObject, input: LooseObject): LooseObject {
  const { type } = source;
  if (type !== "message.sent" && type !== "model.reasoned" && type !== "message.received") return input;
  const { text } = input;
  const found = input["found"] === undefined || input === source ? {} : { found: withoutRemoved(source, input) };
  if (typeof text !== "string") return { ...input, ...found };
  return { ...input, length: text.length, hash: hashText(text), excerpt: text, ...found };
}

/**
 * Watchers see streamed text raw and in pieces, so a quote may hold a part of a secret that no redactor recognizes.
 * If something was removed from the message, only quotes that are still in it are kept.
 */
function withoutRemoved({ text: raw }: LooseObject, { found, text }: LooseObject): unknown {
  if (!Array.isArray(found) || (typeof raw === "string" && raw === text)) return found;
  return (found as readonly LooseObject[]).map((finding) => {
    const { signature } = finding;
    const isKept = typeof signature !== "string" || (typeof text === "string" && text.includes(signature));
    return isKept ? finding : { ...finding, signature: "[withheld]" };
  });
}
