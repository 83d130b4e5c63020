import { isPhasekitError } from "@phasekit/core";
import { cac, type CAC } from "cac";
import { cleanText, safeLine } from "./clean-text.ts";
import { commandTable, globalOptions, optionsOf, runArgumentText } from "./command-table.ts";
import type { Answer, CommandContext, CommandInput, CommandSpec } from "./command.ts";
import { isSet, textOption } from "./command-options.ts";
import { unknownCommand } from "./errors.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-code.ts";
import { loadCommand } from "./load-command.ts";
import { loadConfig, type LoadedConfig } from "./config/load-config.ts";
import { type LogIndex, openLogIndex } from "./log-index/log-index.ts";
import { userCacheFolder } from "./config/user-folders.ts";
import { nearestName } from "./nearest-name.ts";
import { errorToData, renderError } from "./render/error.ts";
import { safeJson } from "./render/safe-json.ts";
import { systemError } from "./system-error.ts";

/** Options for `main()`: everything it needs from the outside. */
export type MainOptions = Omit<CommandContext, "config" | "cacheFolder" | "index" | "json" | "database"> & {
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
  const print = ({ exitCode, data, lines }: Answer): ExitCode => {
    if (json) terminal.out(`${safeJson({ v: 1, command: name, exitCode, ...data })}\n`);
    else if (lines.length > 0) terminal.out(`${lines.map(safeLine).join("\n")}\n`);
    return exitCode;
  };
  try {
    if (name === "complete")
      return await (await import("./commands/completion.ts")).complete(argv.slice(argv.indexOf("--") + 1));
    const chosen = choose(plainWords(argv), options.version);
    if (chosen === undefined) return exitCodes.ok;
    const { spec, input } = chosen;
    const run = await loadCommand(nameOf(spec));
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
    const exitCode = isPhasekitError(shown)
      ? exitCodeOf(shown.code)
      : isParserError(shown)
        ? exitCodes.usage
        : exitCodes.internal;
    if (json) return print({ exitCode, data: { error: errorToData(shown, name) }, lines: [] });
    terminal.error(`${renderError(shown, terminal, name)}\n`);
    return exitCode;
  }
}

/** Converts `phasekit help [command]` and `-V` to the options of the parser. */
function plainWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "help") return [...rest.filter((word) => !word.startsWith("-")), "--help"];
  return first === "-V" ? ["--version"] : argv.filter((word) => word !== "--no-color");
}

/** Returns the requested command; `undefined` if the parser already printed the help or the version. */
function choose(argv: readonly string[], version: string): CommandChoice | undefined {
  const cli = cac("phasekit");
  let chosen: CommandChoice | undefined;
  for (const spec of commandTable) addCommand(cli, spec, (input) => (chosen = { spec, input }));
  for (const [flags, text] of globalOptions) cli.option(flags, text);
  cli.help((sections) => shortenHelp(sections));
  cli.version(version);
  // The parser expects an interpreter and a script first.
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

type Sections = Parameters<NonNullable<Parameters<CAC["help"]>[0]>>[0];

/** Shortens the general help: it explains `[run]` and `--help` once instead of once per command. */
function shortenHelp(sections: Sections): Sections {
  return sections.map(({ title, body }) => {
    // The parser gives every `--no-…` flag this default, which reads as its opposite.
    const section = { ...(title !== undefined && { title }), body: body.replaceAll(" (default: true)", "") };
    if (section.title === "Commands")
      return { ...section, body: section.body.replaceAll(`; [run] is ${runArgumentText}`, "") };
    // The parser lists one `--help` line per command.
    return section.title?.startsWith("For more info") === true
      ? { title: "More", body: `  $ phasekit <command> --help\n  [run] is ${runArgumentText}.` }
      : section;
  });
}

/** True for errors of the parser: an unknown option, a missing argument. */
function isParserError(error: unknown): boolean {
  return error instanceof Error && error.name === "CACError";
}
