import type { z } from "zod";

type SchemaIssue = z.core.$ZodIssue;

/** Renders a schema issue for people and agents. An absent field "is missing"; zod would say "received undefined". */
export function schemaIssueText({ path, message }: Pick<SchemaIssue, "path" | "message">): string {
  const text = message.endsWith("received undefined")
    ? "is missing"
    : message.replace(/^Invalid (?:input|option): /, "");
  return path.length === 0 ? text : `${path.map(String).join(".")}: ${text}`;
}
