import type { List, ShellNode, SimpleNode } from "./shell-node.ts";

/** A line that ends by telling how an earlier statement went: `…; echo $?`, `rc=$?; …; exit $rc`. */
export interface SavedStatus {
  /** The place of the statement whose status it is. */
  readonly of: number;
  /** It is printed, and not the exit code of the line. */
  readonly printed: boolean;
  /** It is that of the first command of a pipe. */
  readonly first: boolean;
}

/** Characters of the last statement that are looked at: every variable in them is looked for in all statements. */
const MAX_TOLD = 500;

/** Finds out whether the last statement passes on the status of another. */
export function savedStatus({ items }: List): SavedStatus | undefined {
  if (items.length < 2) return undefined;
  const last = simple(items.at(-1));
  const name = last?.words[0] ?? "";
  const printed = name === "echo" || name === "printf" || name === "Write-Output" || name === "Write-Host";
  if (last === undefined || !(printed || name === "exit" || name === "return")) return undefined;
  const printedText = last.words.slice(1).join(" ").slice(0, MAX_TOLD);
  if (asks(printedText)) return { of: items.length - 2, printed, first: /PIPESTATUS/i.test(printedText) };
  for (const [, variable = ""] of printedText.matchAll(/\$\{?(\w+)/g)) {
    const at = items.findIndex(
      (item) =>
        simple(item)?.assignments.some((assigned) => assigned.startsWith(`${variable}=`) && asks(assigned)) === true,
    );
    if (at > 0)
      return {
        of: at - 1,
        printed,
        first: simple(items[at])?.assignments.some((assigned) => /PIPESTATUS/i.test(assigned)) === true,
      };
  }
  return undefined;
}

function asks(text: string): boolean {
  return /\$\?|\$\{?PIPESTATUS(?:\[0\])?\}?(?!\[)|\$LASTEXITCODE|%ERRORLEVEL%/i.test(text);
}

function simple(node: ShellNode | undefined): SimpleNode | undefined {
  return node?.kind === "simple" ? node : undefined;
}
