import type { Meaning, ToolResult, ToolTable } from "@phasekit/core";
import { fromDiagnostics } from "../checks/meaning-of-diagnostics.ts";
import { fromEdit } from "../edits/meaning-of-edit.ts";
import { fromCode } from "../programs/meaning-of-code.ts";
import { readCode, shellOfCell } from "../programs/read-code.ts";
import { fromShell } from "../shell/meaning-of-shell.ts";
import { readShell } from "../shell/read-shell.ts";
import { fromTests } from "../tests/meaning-of-tests.ts";
import { cached } from "./cached.ts";
import { fromPlan } from "./meaning-of-plan.ts";
import { commandOf, firstText, type ToolInput } from "./tool-input.ts";
import { createToolLookup, type KnownTool } from "./tool-kind.ts";

/** Options for `createCallReader()`. All optional. */
export interface CallReaderOptions {
  /** Tools of your own. They come before the known ones. */
  readonly tools?: ToolTable | undefined;
  /** Command lines whose reading is kept. @default 512 */
  readonly cacheSize?: number | undefined;
}

/** A call with its arguments as `readInput` read them. */
export interface CallInput {
  readonly tool: string;
  readonly given: ToolInput;
}

/** Reads what a call does: by the name of its tool, by its command line or code, and by its result. */
export type CallReader = (call: CallInput, result?: ToolResult) => Meaning;

const MAX_LINE = 2048;

/** Creates a reader of calls. It remembers the command lines it has read. */
export function createCallReader({ tools, cacheSize = 512 }: CallReaderOptions = {}): CallReader {
  const findTool = createToolLookup(tools);
  const readLine = cached(readShell, { size: cacheSize, longest: MAX_LINE });

  /** A shell's command line, or code; `undefined` when the call brings neither. */
  function fromCommand({ given }: CallInput, result: ToolResult | undefined, { kind }: KnownTool): Meaning | undefined {
    const code = kind !== "code" ? undefined : typeof given === "string" ? given : firstText(given, CODES);
    const read = code === undefined ? undefined : readCode(code);
    const command = read === undefined ? commandOf(given) : read.shell;
    const cell =
      command?.startsWith("!") === true || command?.startsWith("%") === true ? shellOfCell(command) : undefined;
    const line = cell ?? (kind === "unknown" ? undefined : command);
    if (line === undefined) return read === undefined ? undefined : fromCode(read, result);
    if (line.trim() === "") return { activity: "wait", mutates: false, notes: { shell: true } };
    // Keys sent to a program that already runs are not a command line.
    return kind === "keys" ? { activity: "run", notes: { shell: true } } : fromShell(readLine(line), result);
  }

  return (call, result) => {
    const tool = findTool(call.tool);
    return (tool.kind === "named" ? undefined : fromCommand(call, result, tool)) ?? fromName(call, result, tool);
  };
}

const CODES = ["code", "command", "input"];

const ABOUT = ["repoName", "repo", "repository", "library", "libraryName", "libraryId", "url"];

/** The file an agent writes its plan to: in a folder of its own, as `~/.claude/plans` is. */
function isPlanFile(path: string): boolean {
  return /[\\/]\.[\w-]+[\\/](?:[^\\/]+[\\/])*plans[\\/][^\\/]+\.mdx?$/.test(path);
}

function fromName({ given }: CallInput, result: ToolResult | undefined, { names, name }: KnownTool): Meaning {
  const named = names.interpret({ tool: name, input: given }) ?? {};
  switch (named.activity) {
    case "test":
      return fromTests(named, result);
    case "edit":
      return named.targets?.every(isPlanFile) === true && named.targets.length > 0
        ? { activity: "plan", targets: named.targets, mutates: false }
        : fromEdit(named, given, result);
    case "lint":
      return fromDiagnostics(named, result);
    case "ask":
      // A question about a repository or a library goes to a service, and not to a person.
      return typeof given === "object" && ABOUT.some((key) => Object.hasOwn(given, key))
        ? { ...named, activity: "search" }
        : named;
    case "plan":
      return fromPlan(named, given);
    default:
      return named;
  }
}
