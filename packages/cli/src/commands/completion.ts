import { tableOf } from "@phasekit/core/adapter";
import completions, { script } from "@bomb.sh/tab";
import { commandTable, globalOptions, optionsOf } from "../command-table.ts";
import type { CommandRun } from "../command.ts";
import { badArgument } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Prints a completion script for a shell. */
export const completion: CommandRun = ({ args: [named] }, { env, json }) => {
  const shell = named ?? /(bash|zsh|fish)$/.exec(env["SHELL"] ?? "")?.[1] ?? "bash";
  if (!(SHELLS as readonly string[]).includes(shell))
    throw badArgument(`No completion for shell "${shell}"`, `Use one of: ${SHELLS.join(", ")}.`);
  const text = captured(() => {
    script(shell, "phasekit", "phasekit");
  });
  return Promise.resolve({
    exitCode: exitCodes.ok,
    data: { shell, script: text },
    lines: json ? [] : text.trimEnd().split("\n"),
    isCode: true,
  });
};

/** Answers the completion script: the possible next words. */
export function complete(words: readonly string[]): Promise<ExitCode> {
  for (const spec of commandTable) {
    const { usage, summary } = spec;
    const [name = "", ...args] = usage.split(" ");
    const command = completions.command(name, summary);
    for (const argument of args) command.argument(argument.replace(/[^a-z]/g, ""), choicesOf(name));
    for (const [flags, text] of [...optionsOf(spec), ...globalOptions])
      command.option(/--([a-z-]+)/.exec(flags)?.[1] ?? "", text);
  }
  completions.parse([...words]);
  return Promise.resolve(exitCodes.ok);
}

const CHOICES: Readonly<Record<string, readonly string[]>> = tableOf({
  demo: ["good", "loop", "fake-done", "explorer"],
  contracts: ["check", "prompt", "new"],
  db: ["migrate", "status", "doctor"],
  completion: SHELLS,
});

function choicesOf(
  command: string,
): ((this: unknown, offer: (value: string, description: string) => void) => void) | undefined {
  const choices = CHOICES[command];
  if (choices === undefined) return undefined;
  return (offer) => {
    for (const choice of choices) offer(choice, "");
  };
}

/** Captures what the library prints. */
function captured(print: () => void): string {
  const { log } = console;
  let text = "";
  console.log = (line: unknown) => {
    text += `${String(line)}\n`;
  };
  try {
    print();
  } finally {
    console.log = log;
  }
  return text;
}
