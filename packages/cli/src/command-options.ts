import { badArgument } from "./errors.ts";
import type { CommandInput } from "./command.ts";

type Options = CommandInput["options"];

/** The value of an option as a text; `undefined` when it was not given. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || value === false) return undefined;
  if (value === true || value === "") throw badArgument(`--${name} has no value`, `Write \`--${name} <value>\`.`);
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === "string" || typeof last === "number" ? String(last) : undefined;
}

/** An option that may be given several times, or as a list with commas. */
export function listOption(options: Options, name: string): readonly string[] {
  const value = options[name];
  if (value === undefined || value === false) return [];
  return [value].flat().flatMap((entry) => (typeof entry === "string" || typeof entry === "number" ? String(entry).split(",") : [])).map((entry) => entry.trim()).filter((entry) => entry !== "");
}

/** A whole number of at least 0. */
export function countOption(options: Options, name: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw badArgument(`--${name} is "${text}"`, `Give a whole number, such as \`--${name} 20\`.`);
  return count;
}

/** One word of a list. */
export function choiceOption<const T extends string>(options: Options, name: string, choices: readonly T[]): T | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw badArgument(`--${name} is "${text}"`, `Use one of: ${choices.join(", ")}.`);
  return found;
}

/** Whether a flag is set. */
export function isSet(options: Options, name: string): boolean {
  return options[name] === true;
}
