import {
  type CommandNode,
  type CompoundList,
  type ParsedScript,
  parse,
  type PipelineNode,
  type Redirection,
  type Statement,
  type Word,
} from "unbash";
import type { ShellCommand, ShellLine } from "../parse-shell.ts";

const MAX_COMMANDS = 256;
const MAX_WORDS = 256;
const MAX_DEPTH = 6;
const MAX_INPUT = 2000;

/** The commands of a line as unbash, a parser of its own, sees them: what our parser is compared with. */
export function readWithUnbash(text: string): ShellLine {
  const script: ParsedScript = parse(text);
  const commands: ShellCommand[] = [];
  let stopsAtErrors = false;
  let pipesFail = false;
  let depth = 0;
  const printsStatus = endsByPrintingStatus(script.commands);
  readList(printsStatus ? script.commands.slice(0, -1) : script.commands, true);
  return { commands, printsStatus };

  function readList(statements: readonly Statement[], decides: boolean): void {
    for (const [index, { command, background }] of statements.entries()) {
      const last = index === statements.length - 1 || stopsAtErrors;
      readNode(command, { decides: decides && last && background !== true, piped: false });
    }
  }

  function readNode(
    node: PipelineNode | Statement["command"],
    place: { readonly decides: boolean; readonly piped: boolean },
  ): void {
    if (commands.length >= MAX_COMMANDS) return;
    const { decides } = place;
    switch (node.type) {
      case "Command":
        readCommand(node, place);
        return;
      case "AndOr":
        for (const [index, part] of node.commands.slice(0, MAX_COMMANDS).entries()) {
          const kept = node.operators
            .slice(index, MAX_COMMANDS)
            .every((operator, next) => operator === "&&" || fails(node.commands[index + next + 1]));
          readNode(part, { decides: decides && kept, piped: false });
        }
        return;
      case "Pipeline": {
        const negated = node.prefixes.some(({ type }) => type === "Negation");
        for (const [index, part] of node.commands.entries()) {
          const last = index === node.commands.length - 1 || pipesFail;
          readNode(part, { decides: decides && last && !negated, piped: index > 0 || place.piped });
        }
        return;
      }
      case "Redirected": {
        const first = commands.length;
        readNode(node.command, place);
        const writes = writtenFiles(node.redirects);
        if (writes.length > 0 && commands.length > first) {
          const last = commands.at(-1);
          if (last !== undefined) commands[commands.length - 1] = { ...last, writes: [...last.writes, ...writes] };
        }
        return;
      }
      case "Subshell":
      case "BraceGroup":
        readList(node.body.commands, decides);
        return;
      case "If":
        readList(node.clause.commands, false);
        for (const { clause, then } of node.elif) {
          readList(clause.commands, false);
          readList(then.commands, decides);
        }
        readList(node.then.commands, decides);
        if (node.else !== undefined) readList(node.else.commands, decides);
        return;
      case "While":
        readList(node.clause.commands, false);
        readList(node.body.commands, false);
        return;
      case "For":
      case "Select":
      case "ArithmeticFor":
        // The status of a loop is that of its last round: the others are lost.
        readList(node.body.commands, false);
        return;
      case "Case":
        for (const { body } of node.items) readList(body.commands, decides);
        return;
      case "Coproc":
        readBody(node.body);
        return;
      case "Function":
      case "TestCommand":
      case "ArithmeticCommand":
        return;
    }
  }

  function readBody(body: CommandNode | CompoundList): void {
    if (body.type === "CompoundList") readList(body.commands, false);
    else readNode(body, { decides: false, piped: false });
  }

  function readCommand(
    node: Extract<CommandNode, { type: "Command" }>,
    { decides, piped }: { readonly decides: boolean; readonly piped: boolean },
  ): void {
    for (const argument of [...node.prefix, node.name, ...node.suffix])
      if (argument !== undefined) readSubstitutions(argument);
    const words = node.name === undefined ? [] : [valueOf(node.name)];
    for (const argument of node.args.slice(0, MAX_WORDS))
      words.push(argument.type === "Word" ? valueOf(argument) : argument.text);
    if (words[0] === "set") readSet(words);
    if (words.length === 0 && node.redirects.length === 0) return;
    commands.push({
      words,
      writes: writtenFiles(node.redirects),
      input: inputOf(node.redirects),
      expanded: [],
      piped,
      decides,
    });
  }

  function readSet(words: readonly string[]): void {
    if (words.includes("pipefail")) pipesFail = true;
    if (words.some((word) => /^-[a-z]*e/.test(word)) || words.includes("errexit")) stopsAtErrors = true;
  }

  /** Commands inside `$(…)`, backticks and `<(…)` run too, but their exit code is lost. */
  function readSubstitutions(argument: {
    readonly type: string;
    readonly text?: string;
    readonly value?: unknown;
    readonly target?: unknown;
  }): void {
    const word =
      argument.type === "Assignment" ? argument.value : argument.type === "Redirect" ? argument.target : argument;
    if (!isWord(word) || !/\$\(|`|[<>]\(/.test(word.text)) return;
    const pending = [...(word.parts ?? [])];
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (part.type === "DoubleQuoted") pending.push(...part.parts);
      if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") continue;
      // Each level is parsed when it is asked for, and all of it again for the next.
      if (depth >= MAX_DEPTH || part.script === undefined) continue;
      depth += 1;
      readList(part.script.commands, false);
      depth -= 1;
    }
  }
}

function isWord(value: unknown): value is Word {
  return typeof value === "object" && value !== null && (value as { readonly type?: unknown }).type === "Word";
}

function valueOf({ value }: Word): string {
  return value.slice(0, MAX_INPUT);
}

function writtenFiles(redirects: readonly Redirection[]): readonly string[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== "Redirect" || redirect.target === undefined || !redirect.operator.includes(">")) return [];
    // `2>&1` and `>&-` name no file; `>& file` does.
    if (redirect.operator === ">&" && /^[\d-]+$/.test(redirect.target.value)) return [];
    const { descriptor } = redirect;
    if (descriptor?.type === "FileDescriptor" && descriptor.value > 1) return [];
    return redirect.target.value.startsWith("/dev/") ? [] : [redirect.target.value];
  });
}

function inputOf(redirects: readonly Redirection[]): string | undefined {
  for (const redirect of redirects) {
    if (redirect.type === "HereDoc") return redirect.body.text.slice(0, MAX_INPUT);
    if (redirect.type === "HereString") return redirect.target?.value.slice(0, MAX_INPUT);
  }
  return undefined;
}

/** True if what follows `||` only passes the failure on. */
function fails(node: PipelineNode | undefined): boolean {
  if (node?.type !== "Command" || node.name === undefined) return false;
  const [argument] = node.args;
  const name = node.name.value;
  return (
    name === "false" || ((name === "exit" || name === "return") && argument?.type === "Word" && argument.value !== "0")
  );
}

function endsByPrintingStatus(statements: readonly Statement[]): boolean {
  const last = statements.length > 1 ? statements.at(-1)?.command : undefined;
  if (last?.type !== "Command" || (last.name?.value !== "echo" && last.name?.value !== "printf")) return false;
  return last.args.some(({ text }) => text.includes("$?") || text.includes("PIPESTATUS"));
}
