import { commandPage } from "./command-reference.ts";
import { errorCodes, errorPage } from "./error-reference.ts";
import { reasonPage } from "./reason-reference.ts";

/** The pages and tables that are written from the sources, by path. */
export function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/commands.md", commandPage()],
    ["docs/errors.md", errorPage()],
    ["docs/reasons.md", reasonPage()],
    ["packages/cli/src/explain/error-codes.json", errorCodes()],
  ]);
}
