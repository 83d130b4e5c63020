import { isPhasekitError } from "@phasekit/core";
import { cleanText } from "../clean-text.ts";
import type { Terminal } from "../terminal.ts";

/** An error as data, for `--json`. */
export function errorToData(error: unknown): { readonly code: string; readonly message: string; readonly fix?: string } {
  const { code, message, fix } = partsOf(error);
  return { code, message, ...(fix !== "" && { fix }) };
}

/** An error in one line: its code, what happened with its evidence, and what to do. */
export function renderError(error: unknown, { colors }: Terminal): string {
  const { code, message, fix } = partsOf(error);
  return [colors.bold(colors.red(code)), message, ...(fix === "" ? [] : [`Fix: ${fix}`])].join(" — ");
}

function partsOf(error: unknown): { readonly code: string; readonly message: string; readonly fix: string } {
  if (isPhasekitError(error)) return { code: error.code, message: cleanText(error.message), fix: cleanText(error.hint ?? "") };
  if (error instanceof Error && error.name === "CACError") return { code: "BAD_ARGUMENT", message: cleanText(error.message).replaceAll("`", '"'), fix: "See the options with `phasekit <command> --help`." };
  const message = error instanceof Error ? error.message : String(error);
  const where = error instanceof Error ? (/at (?:.*\()?(?:file:\/\/)?(.*?):\d+\)?$/m.exec(error.stack ?? "")?.[1] ?? "") : "";
  return { code: "INTERNAL", message: cleanText(`${message}${where === "" ? "" : ` — in ${where.split("/").slice(-2).join("/")}`}`), fix: "This is a mistake of ours. Please report it with the command you ran." };
}
