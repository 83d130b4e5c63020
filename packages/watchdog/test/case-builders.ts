import type { CaseEvent } from "./case-driver.ts";

/** A tool call with its result. */
// Tables read best with the parts of a call in a row.
// eslint-disable-next-line max-params -- a table row
export function call(
  name: string,
  args: object,
  output: unknown = "ok",
  { ok = true, exit_code }: { readonly ok?: boolean; readonly exit_code?: number } = {},
): CaseEvent {
  return { type: "tool", name, args, ok, output, ...(exit_code !== undefined && { exit_code }) };
}

export const bash = (
  command: string,
  output: unknown = "",
  options: { readonly ok?: boolean; readonly exit_code?: number } = {},
): CaseEvent => call("bash", { command }, output, options);
export const read = (path: string, output = `content of ${path}`): CaseEvent => call("read_file", { path }, output);
export const edit = (path: string, from: string, to: string): CaseEvent =>
  call("edit", { path, old: from, new: to }, "ok");
export const text = (words: string): CaseEvent => ({ type: "text", text: words });
export const user = (words: string): CaseEvent => ({ type: "user", text: words });

/** The same thing n times, each made from its number. */
export function times(n: number, make: (index: number) => CaseEvent | readonly CaseEvent[]): readonly CaseEvent[] {
  return Array.from({ length: n }, (_, index) => make(index)).flat();
}
