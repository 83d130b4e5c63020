import { isPhasekitError } from "@phasekit/core";
import { cleanText } from "../clean-text.ts";
import { internalError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";
import { wrapItems } from "./wrap-text.ts";

/** Converts an error to the data of `--json`. */
export function errorToData(error: unknown): {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
} {
  const { code, message, fix } = partsOf(error);
  return { code, message, ...(fix !== "" && { fix }) };
}

/**
 * Renders an error: code, what happened, why, and the fix. One line in a pipe; for a person a line each, wrapped at
 * words, but not inside a command to paste.
 */
export function renderError(error: unknown, { colors, columns, showsProgress }: Terminal): string {
  const { code, message, fix } = partsOf(error);
  const parts = [...message.split(" — "), ...(fix === "" ? [] : [`Fix: ${fix}`])];
  const name = colors.bold(colors.red(code));
  if (!showsProgress) return [name, ...parts].join(" — ");
  const wrapped = parts.flatMap((part) =>
    wrapItems(part.match(/`[^`]*`\S*|\S+/g) ?? [], { width: columns - 2, between: " " }),
  );
  return [name, ...wrapped.map((line) => `  ${line}`)].join("\n");
}

function partsOf(error: unknown): { readonly code: string; readonly message: string; readonly fix: string } {
  const { code, message, hint = "" } = isPhasekitError(error) ? error : unknownError(error);
  return { code, message: cleanText(message), fix: cleanText(hint) };
}

function unknownError(error: unknown): ReturnType<typeof internalError> {
  const message = error instanceof Error ? error.message : String(error);
  const where =
    error instanceof Error ? (/at (?:.*\()?(?:file:\/\/)?(.*?):\d+\)?$/m.exec(error.stack ?? "")?.[1] ?? "") : "";
  return internalError(`${message}${where === "" ? "" : ` — in ${where.split("/").slice(-2).join("/")}`}`, error);
}
