import { isPhasekitError } from "@phasekit/core";
import { cac, type CAC } from "cac";
import process from "node:process";
import { cleanText, safeLine } from "./clean-text.ts";
import { commandTable, globalOptions, optionsOf } from "./command-table.ts";
import { type Answer, type CommandContext, type CommandInput, type CommandSpec, nameOfCommand } from "./command.ts";
import { isSet, textOption } from "./command-options.ts";
import { unknownCommand } from "./errors.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-code.ts";
import { loadCommand } from "./load-command.ts";
import { loadConfig, type LoadedConfig } from "./config/load-config.ts";
import { type LogIndex, openLogIndex } from "./log-index/log-index.ts";
import { userCacheFolder } from "./config/user-folders.ts";
import { nearestName } from "./nearest-name.ts";
import { parserError } from "./parser-error.ts";
import { errorToData, renderError } from "./render/error.ts";
import { findCommand, type HelpFrame, renderCommandHelp, renderFullHelp, renderShortHelp } from "./render/help.ts";
import { safeJson } from "./render/safe-json.ts";
import { wrapLine } from "./render/wrap-text.ts";
import { systemError } from "./system-error.ts";

/** Options for `main()`: everything it needs from the outside. */
export type MainOptions = Omit<
  CommandContext,
  "config" | "cacheFolder" | "index" | "json" | "database" | "runCommand"
> & {
  readonly version: string;
};

interface CommandChoice {
  readonly spec: CommandSpec;
  readonly input: CommandInput;
}

/** Runs one command line and prints the result. Never throws. */
export async function main(argv: readonly string[], options: MainOptions): Promise<ExitCode> {
  const { terminal } = options;
  const json = argv.includes("--json");
  const name = argv.find((argument) => !argument.startsWith("-")) ?? "";
  let isEndless = false;
  const print = ({ exitCode: given, data, lines, isCode = false }: Answer): ExitCode => {
    // After Ctrl-C, a command prints the part it has read.
    const exitCode = options.signal.aborted && !isEndless ? exitCodes.stopped : given;
    if (json) terminal.out(`${safeJson({ v: 2, command: name, exitCode, ...data })}\n`);
    else if (lines.length > 0) {
      const safe = lines.map(safeLine);
      const shown = terminal.isTty && !isCode ? safe.flatMap((line) => wrapLine(line, terminal.columns)) : safe;
      terminal.out(`${shown.join("\n")}\n`);
    }
    return exitCode;
  };
  try {
    if (name === "complete")
      return await (await import("./commands/completion.ts")).complete(argv.slice(argv.indexOf("--") + 1));
    const chosen = choose(plainWords(argv), { ...terminal, version: options.version });
    if ("lines" in chosen) {
      terminal.out(`${chosen.lines.join("\n")}\n`);
      return exitCodes.ok;
    }
    const { spec, input } = chosen;
    isEndless = spec.endless === true;
    const run = await loadCommand(nameOfCommand(spec));
    let loading: Promise<LoadedConfig> | undefined;
    const load = async (): Promise<LoadedConfig> => {
      const loaded = await loadConfig({
        cwd: options.cwd,
        env: options.env,
        path: textOption(input.options, "config"),
        trustAll: isSet(input.options, "trustConfig"),
      });
      for (const { text } of loaded.ignored) terminal.error(`${cleanText(text)}\n`);
      return loaded;
    };
    const config = (): Promise<LoadedConfig> => (loading ??= load());
    const cacheFolder = input.options["cache"] === false ? undefined : userCacheFolder(options.env);
    const index = async (): Promise<LogIndex> => openLogIndex(cacheFolder, await config());
    const context: CommandContext = {
      ...options,
      json,
      config,
      index,
      ...(cacheFolder !== undefined && { cacheFolder }),
      runCommand: async (other, given) => (await loadCommand(other))(given, context),
    };
    if (spec.database === undefined || (spec.database === "asked" && input.options["db"] === undefined))
      return print(await run(input, context));
    const [{ chooseDatabase }, { useDatabase }] = await Promise.all([
      import("./database/choose-database.ts"),
      import("./database/open-database.ts"),
    ]);
    return print(
      await useDatabase(await chooseDatabase(input.options, context), (database) =>
        run(input, { ...context, database }),
      ),
    );
  } catch (error) {
    const shown = systemError(error) ?? error;
    const isStopped = options.signal.aborted && !isEndless && isPhasekitError(shown);
    const exitCode = isStopped
      ? exitCodes.stopped
      : isPhasekitError(shown)
        ? exitCodeOf(shown.code)
        : exitCodes.internal;
    if (json) return print({ exitCode, data: { error: errorToData(shown) }, lines: [] });
    terminal.error(`${renderError(shown, terminal)}\n`);
    return exitCode;
  }
}

/** Converts `phasekit help [command]` and `-V` to the options of the parser. */
function plainWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "help") return [...rest, "--help"];
  return first === "-V" ? ["--version"] : argv.filter((word) => word !== "--no-color");
}

/**
 * Returns the requested command, or the lines of the help.
 * @throws UNKNOWN_COMMAND, BAD_ARGUMENT
 */
function choose(argv: readonly string[], frame: HelpFrame): CommandChoice | { readonly lines: readonly string[] } {
  const cli = cac("phasekit");
  let chosen: CommandChoice | undefined;
  for (const spec of commandTable) addCommand(cli, spec, (input) => (chosen = { spec, input }));
  for (const [flags, text] of globalOptions) cli.option(flags, text);
  cli.option("-v, --version", "Print the version");
  // The parser expects an interpreter and a script first.
  cli.parse(["node", "phasekit", ...argv], { run: false });
  if (cli.options["version"] === true)
    return { lines: [`phasekit/${frame.version} ${process.platform}-${process.arch} node-${process.version}`] };
  // The parser makes numbers of some words, as of an empty one behind a flag.
  const given = cli.args.length === 0 ? undefined : (argv.find((word) => !word.startsWith("-")) ?? String(cli.args[0]));
  const name = cli.matchedCommandName ?? given;
  const spec = name === undefined ? undefined : findCommand(name);
  if (name !== undefined && spec === undefined)
    throw unknownCommand(name, nearestName(name, commandTable.map(nameOfCommand)));
  if (spec === undefined || cli.options["help"] === true) {
    if (spec !== undefined) return { lines: renderCommandHelp(spec, frame) };
    return { lines: cli.options["all"] === true ? renderFullHelp(frame) : renderShortHelp(frame) };
  }
  try {
    cli.runMatchedCommand();
  } catch (error) {
    throw parserError(error, spec) ?? error;
  }
  if (chosen === undefined) throw new Error(`The parser did not run "${name ?? ""}".`);
  return chosen;
}

function addCommand(cli: CAC, spec: CommandSpec, take: (input: CommandInput) => void): void {
  const command = cli.command(spec.usage, spec.summary);
  for (const [flags, text] of optionsOf(spec)) command.option(flags, text);
  command.action((...given: readonly unknown[]) => {
    const all = given.at(-1) as CommandInput["options"];
    take({
      args: given
        .slice(0, -1)
        .flat()
        .filter((argument) => argument !== undefined)
        .map(String),
      options: all,
    });
  });
}
