import { badArgument } from "./errors.ts";
import type { CommandInput } from "./command.ts";

type Options = CommandInput["options"];

/** The option as a user types it: `--max-tokens`, not `--maxTokens`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Returns the value of an option as text, or `undefined` if it is absent. */
export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  if (value === undefined || value === false) return undefined;
  if (value === true || value === "")
    throw badArgument(`${flagOf(name)} needs a value`, `Write \`${flagOf(name)} <value>\`.`);
  const last: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof last === "string" || typeof last === "number" ? String(last) : undefined;
}

/** Returns the values of an option that may be repeated or comma-separated. */
export function listOption(options: Options, name: string): readonly string[] {
  const value = options[name];
  if (value === undefined || value === false) return [];
  return [value]
    .flat()
    .flatMap((entry) => (typeof entry === "string" || typeof entry === "number" ? String(entry).split(",") : []))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Returns an option as a whole number of at least 0. */
export function countOption(options: Options, name: string): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0)
    throw badArgument(
      `${flagOf(name)} must be a whole number, not "${text}"`,
      `Write \`${flagOf(name)} 20\`, for example.`,
    );
  return count;
}

/** Returns an option as a port. */
export function portOption(options: Options, name = "port"): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw badArgument(
      `${flagOf(name)} must be a port from 0 to 65535, not "${text}"`,
      `Write \`${flagOf(name)} 4173\`, or leave it out to get a free one.`,
    );
  return port;
}

/** Returns an option that must be one of the choices. */
export function choiceOption<const T extends string>(
  options: Options,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found === undefined)
    throw badArgument(`${flagOf(name)} cannot be "${text}"`, `Use one of: ${choices.join(", ")}.`);
  return found;
}

/** True if a flag is set. */
export function isSet(options: Options, name: string): boolean {
  return options[name] === true;
}
