import { isPhasekitError } from "@phasekit/core";
import { cac, type CAC } from "cac";
import { commandTable, globalOptions, optionsOf, runArgumentText } from "./command-table.ts";
import type { Answer, CommandContext, CommandInput, CommandSpec } from "./command.ts";
import { textOption } from "./command-options.ts";
import { unknownCommand } from "./errors.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-code.ts";
import { loadCommand } from "./load-command.ts";
import { loadConfig } from "./load-config.ts";
import { nearestName } from "./nearest-name.ts";
import { errorToData, renderError } from "./render/error.ts";

/** What `main` needs of the outside world; the config comes from the arguments. */
export type Surroundings = Omit<CommandContext, "config" | "json" | "database"> & { readonly version: string };

interface Chosen {
  readonly spec: CommandSpec;
  readonly input: CommandInput;
}

/** Carries out one command line and prints its answer. Never throws. */
export async function main(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const { terminal } = surroundings;
  const json = argv.includes("--json");
  const name = argv.find((argument) => !argument.startsWith("-")) ?? "";
  const print = ({ exitCode, data, lines }: Answer): ExitCode => {
    if (json) terminal.out(`${JSON.stringify({ v: 1, command: name, exitCode, ...data })}\n`);
    else if (lines.length > 0) terminal.out(`${lines.join("\n")}\n`);
    return exitCode;
  };
  try {
    if (name === "complete") return await (await import("./commands/completion.ts")).complete(argv.slice(argv.indexOf("--") + 1));
    const chosen = choose(argv, surroundings.version);
    if (chosen === undefined) return exitCodes.ok;
    const { spec, input } = chosen;
    const run = await loadCommand(nameOf(spec));
    const config = () => loadConfig({ cwd: surroundings.cwd, path: textOption(input.options, "config") });
    const context: CommandContext = { ...surroundings, json, config };
    if (spec.database === undefined || (spec.database === "asked" && input.options["db"] === undefined)) return print(await run(input, context));
    const [{ chooseDatabase }, { useDatabase }] = await Promise.all([import("./database/choose-database.ts"), import("./database/open-database.ts")]);
    return print(await useDatabase(await chooseDatabase(input.options, context), (database) => run(input, { ...context, database })));
  } catch (error) {
    const exitCode = isPhasekitError(error) ? exitCodeOf(error.code) : isParserError(error) ? exitCodes.usage : exitCodes.internal;
    if (json) return print({ exitCode, data: { error: errorToData(error) }, lines: [] });
    terminal.error(`${renderError(error, terminal)}\n`);
    return exitCode;
  }
}

/** The command that was asked for; `undefined` when the parser has answered already, with help or the version. */
function choose(argv: readonly string[], version: string): Chosen | undefined {
  const cli = cac("phasekit");
  let chosen: Chosen | undefined;
  for (const spec of commandTable) addCommand(cli, spec, (input) => (chosen = { spec, input }));
  for (const [flags, text] of globalOptions) cli.option(flags, text);
  cli.help((sections) => withoutDefaults(sections));
  cli.version(version);
  // The parser takes what follows the interpreter and the script.
  cli.parse(["node", "phasekit", ...argv], { run: false });
  if (cli.options["help"] === true || cli.options["version"] === true) return undefined;
  if (cli.matchedCommand === undefined) {
    const [name] = cli.args;
    if (name !== undefined) throw unknownCommand(name, nearestName(name, commandTable.map(nameOf)));
    cli.outputHelp();
    return undefined;
  }
  cli.runMatchedCommand();
  return chosen;
}

const nameOf = ({ usage }: CommandSpec): string => usage.split(" ", 1)[0] ?? "";

function addCommand(cli: CAC, spec: CommandSpec, take: (input: CommandInput) => void): void {
  const { usage, summary, examples = [] } = spec;
  const command = cli.command(usage, usage.includes("[run]") ? `${summary}; [run] is ${runArgumentText}` : summary);
  for (const [flags, text] of optionsOf(spec)) command.option(flags, text);
  for (const example of examples) command.example(`  $ ${example}`);
  command.action((...given: readonly unknown[]) => {
    const all = given.at(-1) as CommandInput["options"];
    take({ args: given.slice(0, -1).flat().filter((argument) => argument !== undefined).map(String), options: all });
  });
}

type Sections = Parameters<NonNullable<Parameters<CAC["help"]>[0]>>[0];

/** The general help says in one line what `[run]` is, instead of once per command. */
function withoutDefaults(sections: Sections): Sections {
  return sections.map((section) => ({ ...section, body: section.title === "Commands" ? section.body.replaceAll(`; [run] is ${runArgumentText}`, "") : section.body }));
}

/** The parser's own complaints: an unknown option, a missing argument. */
function isParserError(error: unknown): boolean {
  return error instanceof Error && error.name === "CACError";
}

