import type { IncomingMessage } from "node:http";

/** What a person says to a review. */
export interface ReviewAnswer {
  readonly verdict: "approve" | "needs-changes" | "reject";
  readonly feedback?: string;
}

const VERDICTS: readonly string[] = ["approve", "needs-changes", "reject"] satisfies readonly ReviewAnswer["verdict"][];
const MAX_BYTES = 65_536;
const MAX_FEEDBACK = 10_000;

/** Reads an answer from a request; undefined when it is none, or too large. */
export async function readReviewAnswer(request: IncomingMessage): Promise<ReviewAnswer | undefined> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk as string;
    if (text.length > MAX_BYTES) return undefined;
  }
  return parseReviewAnswer(text);
}

/** Reads an answer from JSON; undefined when it is none. */
export function parseReviewAnswer(text: string): ReviewAnswer | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { verdict, feedback = "" } = value as { readonly verdict?: unknown; readonly feedback?: unknown };
  if (typeof verdict !== "string" || !VERDICTS.includes(verdict) || typeof feedback !== "string" || feedback.length > MAX_FEEDBACK) return undefined;
  return { verdict: verdict as ReviewAnswer["verdict"], ...(feedback !== "" && { feedback }) };
}
