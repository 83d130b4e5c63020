import { isPhasekitError } from "@phasekit/core";
import { cleanText } from "../clean-text.ts";
import type { Terminal } from "../terminal.ts";

/** Converts an error to the data of `--json`. */
export function errorToData(
  error: unknown,
  command = "",
): {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
} {
  const { code, message, fix } = partsOf(error, command);
  return { code, message, ...(fix !== "" && { fix }) };
}

/** Renders an error on one line: code, what happened, and the fix. */
export function renderError(error: unknown, { colors }: Terminal, command = ""): string {
  const { code, message, fix } = partsOf(error, command);
  return [colors.bold(colors.red(code)), message, ...(fix === "" ? [] : [`Fix: ${fix}`])].join(" — ");
}

function partsOf(
  error: unknown,
  command: string,
): { readonly code: string; readonly message: string; readonly fix: string } {
  if (isPhasekitError(error))
    return { code: error.code, message: cleanText(error.message), fix: cleanText(error.hint ?? "") };
  if (error instanceof Error && error.name === "CACError")
    return {
      code: "BAD_ARGUMENT",
      message: cleanText(error.message).replaceAll("`", '"'),
      fix: `List the options with \`phasekit ${command === "" ? "" : `${cleanText(command)} `}--help\`.`,
    };
  const message = error instanceof Error ? error.message : String(error);
  const where =
    error instanceof Error ? (/at (?:.*\()?(?:file:\/\/)?(.*?):\d+\)?$/m.exec(error.stack ?? "")?.[1] ?? "") : "";
  return {
    code: "INTERNAL",
    message: cleanText(`${message}${where === "" ? "" : ` — in ${where.split("/").slice(-2).join("/")}`}`),
    fix: "This is a bug in Phasekit. Please report it with the command you ran.",
  };
}
