import type { PhasekitError } from "@phasekit/core";
import { cleanText } from "./clean-text.ts";
import { globalOptions, optionsOf } from "./command-table.ts";
import { type CommandSpec, nameOfCommand } from "./command.ts";
import { flagOf } from "./command-options.ts";
import { badArgument } from "./errors.ts";
import { nearestName } from "./nearest-name.ts";

/** Converts an error of the parser to one with a fix; `undefined` if it is another error. */
export function parserError(error: unknown, spec: CommandSpec): PhasekitError | undefined {
  if (!(error instanceof Error) || error.name !== "CACError") return undefined;
  const help = `phasekit ${nameOfCommand(spec)} --help`;
  const [, quoted = ""] = /`(.*)`/.exec(error.message) ?? [];
  const named = cleanText(quoted);
  if (error.message.startsWith("Unknown option")) {
    // The parser turns `--max-tokenz` into `--maxTokenz`.
    const given = named.startsWith("--") ? flagOf(named.slice(2)) : named;
    const near = nearestName(given, flagsOf(spec));
    return badArgument(
      `Unknown option "${given}"`,
      near === undefined ? `List the options with \`${help}\`.` : `Did you mean \`${near}\`?`,
    );
  }
  if (error.message.endsWith("value is missing"))
    return badArgument(`${named.split(" ", 1)[0] ?? ""} needs a value`, `Write \`${named}\`.`);
  if (error.message.startsWith("Unused args"))
    return badArgument(
      `Unexpected argument "${named.replaceAll("`", "")}"`,
      `The command is \`phasekit ${spec.usage}\`. Put a name with spaces into quotes.`,
    );
  return badArgument(`\`${nameOfCommand(spec)}\` needs more arguments`, `Write \`phasekit ${spec.usage}\`.`);
}

/** The long names of all options of a command. */
function flagsOf(spec: CommandSpec): readonly string[] {
  return [...optionsOf(spec), ...globalOptions].flatMap(([flags]) => /--[a-z-]+/.exec(flags)?.[0] ?? []);
}
