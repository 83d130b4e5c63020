import { type LooseObject, type ReviewVerdict, toObject } from "@phasekit/core/adapter";
import type { IncomingMessage } from "node:http";

const VERDICTS: readonly string[] = [
  "approve",
  "needs-changes",
  "reject",
] satisfies readonly ReviewVerdict["verdict"][];
const MAX_BYTES = 65_536;
const MAX_FEEDBACK = 10_000;

/** Reads the body of a request; empty if it is too large. */
export async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk as string;
    if (text.length > MAX_BYTES) return "";
  }
  return text;
}

/** Parses a verdict from JSON; `undefined` if it is invalid. */
export function parseVerdict(text: string): ReviewVerdict | undefined {
  const { verdict, feedback = "" } = membersIn(text);
  if (
    typeof verdict !== "string" ||
    !VERDICTS.includes(verdict) ||
    typeof feedback !== "string" ||
    feedback.length > MAX_FEEDBACK
  )
    return undefined;
  return { verdict: verdict as ReviewVerdict["verdict"], ...(feedback !== "" && { feedback }) };
}

/** The members of a JSON object; none if a text is something else. */
export function membersIn(text: string): LooseObject {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return {};
  }
}
