import type { z } from "zod";

type SchemaIssue = z.core.$ZodIssue;

/** What a schema objects to, in words for people and agents: what is not there is missing, and is not called undefined. */
export function schemaIssueText({ path, message }: Pick<SchemaIssue, "path" | "message">): string {
  const text = message.endsWith("received undefined") ? "is missing" : message.replace(/^Invalid (?:input|option): /, "");
  return path.length === 0 ? text : `${path.map(String).join(".")}: ${text}`;
}
