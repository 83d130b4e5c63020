import type { Meaning, ToolResult } from "@phasekit/core";
import { textOf } from "../answers/exit-code.ts";
import { anyOf } from "../patterns.ts";

const MAX_TEXT = 65_536;
const ERRORS = anyOf(
  "i",
  /"severity": ?(?:"error"|1\b)/,
  /\[(?:error|ERR)\]/,
  /(?<![\d.])[1-9]\d* errors?\b/,
  /\berror TS\d+/,
  /^(?:\S+:)?\d+:\d+:? *-? *error\b/m,
);
const CLEAN = anyOf(
  "i",
  /"diagnostics": ?\[\s*\]/,
  /"severity": ?"(?:warning|hint|info)/,
  /^\s*(?:\[\s*\]|\{\s*\})\s*$/,
  /\bno (?:\w+ )?(?:errors?|diagnostics|problems|issues|lints?)\b/,
  /(?<![\d.])0 errors?\b/,
);

/** The meaning of a tool that shows what an editor or a language server finds wrong. */
export function fromDiagnostics(named: Meaning, result: ToolResult | undefined): Meaning {
  const meaning: Meaning = { ...named, mutates: false };
  if (result?.outcome !== "ok") return meaning;
  const text = textOf(result).slice(0, MAX_TEXT);
  const verdict = ERRORS.test(text) ? "fail" : CLEAN.test(text) ? "pass" : "unknown";
  const reaches = (named.targets ?? []).map((file) => file.replace(/^file:\/\//, ""));
  return {
    ...meaning,
    notes: { check: { kind: "types", verdict, trusted: true }, ...(reaches.length > 0 && { reaches }) },
  };
}
