import { isObject, jsonInText, ownValue, quote } from "@phasekit/core/adapter";
import { z } from "zod";
import { issueTextsWithValues } from "../claims/claim-schema.ts";
import { verdictInputSchema } from "./verdict-schema.ts";

/** A judge's answer: the verdict, or every problem. */
export type ReadVerdict =
  | { readonly ok: true; readonly verdict: z.output<typeof verdictInputSchema> }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a judge's answer: data, or a text with the verdict as JSON, bare or fenced. A text may quote the artifact, and
 * the artifact may hold a verdict of its own. So an object with the id of the review counts first, and without one the
 * text must hold exactly one verdict.
 */
export function readVerdict(answer: unknown, { review }: { readonly review: string }): ReadVerdict {
  if (typeof answer !== "string") return check(answer, review);
  const found = jsonInText(answer)
    .filter(isObject)
    .filter((value) => ownValue(value, "verdict") !== undefined);
  const distinct = [...new Map(found.map((value) => [JSON.stringify(value), value])).values()];
  const named = distinct.filter((value) => ownValue(value, "review") === review);
  const [first, ...others] = named.length > 0 ? named : distinct;
  if (first === undefined)
    return problem(`the text ${quote(answer, { max: 80 })} holds no JSON object with the field "verdict"`);
  if (others.length > 0) return problem(`the text holds ${others.length + 1} different verdicts`);
  return check(first, review);
}

function check(answer: unknown, review: string): ReadVerdict {
  const parsed = verdictInputSchema.extend({ review: z.literal(review).optional() }).safeParse(answer);
  if (!parsed.success) return { ok: false, problems: issueTextsWithValues(parsed.error, answer) };
  const { review: _review, ...verdict } = parsed.data;
  return { ok: true, verdict };
}

function problem(text: string): ReadVerdict {
  return { ok: false, problems: [text] };
}
