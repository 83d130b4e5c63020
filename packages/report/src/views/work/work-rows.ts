import type { RunEvent } from "@phasekit/core";
import { callOf, type CallCheck, createAccount, type FileKind, foldAccount, isSamePath } from "@phasekit/core/account";
import { toObject } from "@phasekit/core/adapter";
import { words } from "@phasekit/ledger/story";
import { countLines, type DiffLine, editDiff } from "./edit-diff.ts";
import { groupRows, type RowGroup } from "../group-rows.ts";
import { isClaimGate } from "../policy-heading.ts";
import { shownText } from "../shown-text.ts";
import { visibleText } from "../visible-text.ts";

/** One edit of a file. */
interface EditRow {
  readonly seq: number;
  readonly lines: readonly DiffLine[];
  /** The command that changed the file, where nothing tells the lines. */
  readonly command?: string;
}

/** A file that the run changed. */
export interface FileRow {
  readonly path: string;
  readonly shortPath: string;
  readonly kind: FileKind;
  readonly added: number;
  readonly removed: number;
  readonly edits: readonly EditRow[];
}

/** A check of the work, with what it printed. */
export interface CheckRow {
  readonly seq: number;
  readonly kind: CallCheck["kind"];
  readonly verdict: CallCheck["verdict"];
  /** The command or the tool. */
  readonly title: string;
  /** "3 passed, 1 failed"; empty if there are no counts. */
  readonly counts: string;
  /** The lines of the output that name a failure. */
  readonly failures: readonly string[];
  readonly output: string;
}

/** The files that a run changed, and the checks it ran. */
export interface WorkRows {
  readonly files: readonly FileRow[];
  readonly checks: readonly CheckRow[];
  /** The last words of the agent, if a check says otherwise. */
  readonly contradiction?: Contradiction;
}

/** Words of the agent beside the check that says otherwise. */
interface Contradiction {
  readonly claim: string;
  readonly seq: number;
  readonly check: CheckRow;
  /** The difference in a sentence, if a gate compared the two. */
  readonly why?: string;
}

const MAX_FILES = 200;
const MAX_FAILURES = 20;
const MAX_OUTPUT = 20_000;
/** The beginnings of lines that name a failure. */
const FAILURES = [
  "[✖✗×✘❌]",
  String.raw`not ok\b`,
  "--- FAIL",
  String.raw`FAIL(?:ED)?\b`,
  String.raw`\(fail\)`,
  String.raw`E\s{2,}`,
  String.raw`error(?:\[\w+\])?:`,
  String.raw`\S+: error\b`,
  String.raw`\S*(?:Error|Exception|panic): `,
];
const FAILURE = new RegExp(String.raw`^\s*(?:${FAILURES.join("|")})`);

/** Collects the files that a run changed and the checks it ran, in order. */
export function workRows(events: readonly RunEvent[]): WorkRows {
  const account = createAccount();
  const inputs = new Map<string, unknown>();
  const edits = new Map<string, EditRow[]>();
  const checks: CheckRow[] = [];
  const claims = createClaims();
  for (const event of events) {
    foldAccount(account, event);
    if (event.type === "tool.requested" && event.call !== undefined) inputs.set(event.call, event.input);
    claims.fold(event, checks);
    if (event.type !== "tool.finished") continue;
    const call = callOf(event);
    const input = event.call === undefined ? undefined : inputs.get(event.call);
    if (event.call !== undefined) inputs.delete(event.call);
    for (const { path, how } of call.changes) {
      if (path === "" || how !== "write" || (edits.size >= MAX_FILES && !edits.has(path))) continue;
      const own = edits.get(path) ?? [];
      edits.set(path, own);
      const lines = editDiff(input, path);
      const command = lines.length === 0 ? commandIn(input) : undefined;
      own.push({
        seq: event.seq,
        lines,
        ...(command !== undefined && { command: visibleText(command.slice(0, MAX_OUTPUT)) }),
      });
    }
    const { check } = call;
    if (check !== undefined) checks.push(checkRow(event, check, input));
  }
  const contradiction = claims.contradiction(checks);
  return {
    // Only the work: without what was written to try something out, or taken back.
    files: [...account.work.files.values()]
      .filter(({ path }) => path !== "")
      .slice(-MAX_FILES)
      .map(({ path, kind }) =>
        fileRow(path, { kind, edits: [...edits].flatMap(([own, rows]) => (isSamePath(own, path) ? rows : [])) }),
      ),
    checks,
    ...(contradiction !== undefined && { contradiction }),
  };
}

/** True for a check of the work as a whole, and not of one program. */
const isOfWork = ({ kind }: CheckRow): boolean => kind === "test" || kind === "ci" || kind === "hook";

/** The last failed check of the work; a program that failed for want of one. */
function failedTest(checks: readonly CheckRow[]): CheckRow | undefined {
  const failed = checks.filter(({ verdict }) => verdict === "fail");
  return failed.findLast(isOfWork) ?? failed.at(-1);
}

/** Returns the checks as a reader wants them: failed tests, other failures, the rest. Equal ones are one. */
export function checkGroups(checks: readonly CheckRow[]): readonly RowGroup<CheckRow>[] {
  const rank = (check: CheckRow): number => (check.verdict !== "fail" ? 2 : isOfWork(check) ? 0 : 1);
  const newest = checks.toReversed().toSorted((a, b) => rank(a) - rank(b));
  return groupRows(newest, ({ kind, verdict, title, counts }) => JSON.stringify([kind, verdict, title, counts]));
}

/** Follows what the agent says, and the gate that compares it with the checks. */
function createClaims(): {
  readonly fold: (event: RunEvent, checks: readonly CheckRow[]) => void;
  readonly contradiction: (checks: readonly CheckRow[]) => Contradiction | undefined;
} {
  let said: { readonly text: string; readonly seq: number } | undefined;
  let untrue: Contradiction | undefined;
  const beside = (check: CheckRow | undefined, why?: string): Contradiction | undefined =>
    said === undefined || check === undefined || check.seq > said.seq
      ? undefined
      : {
          ...{ claim: visibleText(said.text.slice(0, MAX_OUTPUT)), seq: said.seq, check },
          ...(why !== undefined && { why: shownText(why, 300) }),
        };
  return {
    fold: (event, checks) => {
      if (event.type === "finish.requested" && event.text !== undefined && event.text !== "")
        said = { text: event.text, seq: event.seq };
      else if (event.type === "message.sent" && event.excerpt !== undefined)
        said = { text: event.excerpt, seq: event.seq };
      else if (event.type === "finish.vouched" && isClaimGate(event.gate)) untrue = undefined;
      else if (event.type === "finish.vetoed" && isClaimGate(event.gate))
        untrue = beside(failedTest(checks), event.why);
    },
    contradiction: (checks) => {
      const last = checks.at(-1);
      return untrue ?? (last?.verdict === "fail" ? beside(last) : undefined);
    },
  };
}

function fileRow(path: string, { kind, edits }: Pick<FileRow, "kind" | "edits">): FileRow {
  const sum = (sign: DiffLine["sign"]): number =>
    edits.reduce((total, { lines }) => total + countLines(lines, sign), 0);
  return {
    path: shownText(path, 300),
    shortPath: words.shortPaths(shownText(path, 300)),
    kind,
    added: sum("+"),
    removed: sum("-"),
    edits,
  };
}

function checkRow(
  { seq, tool, output, meaning }: Extract<RunEvent, { readonly type: "tool.finished" }>,
  { kind, verdict, passed, failed }: CallCheck,
  input: unknown,
): CheckRow {
  const text = visibleText(textOf(output).slice(0, MAX_OUTPUT));
  const failing = meaning.tests?.failing ?? [];
  return {
    seq,
    kind,
    verdict,
    title: shownText(commandIn(input) ?? tool, 200),
    counts: [
      ...(passed === undefined ? [] : [`${words.count(passed)} passed`]),
      ...(failed === undefined ? [] : [`${words.count(failed)} failed`]),
    ].join(", "),
    failures:
      verdict === "fail"
        ? text
            .split("\n")
            .filter((line) => FAILURE.test(line) || failing.some((name) => line.includes(name)))
            .slice(0, MAX_FAILURES)
        : [],
    output: text,
  };
}

/** The command line of a call, if it has one. */
function commandIn(input: unknown): string | undefined {
  const command = typeof input === "string" ? input : (toObject(input)["command"] ?? toObject(input)["cmd"]);
  return typeof command === "string" ? command : Array.isArray(command) ? command.join(" ") : undefined;
}

/** The text of a result: its own, or the parts that tools name so. */
export function textOf(output: unknown): string {
  if (typeof output === "string") return output;
  const given = toObject(output);
  const parts = [given["stdout"], given["stderr"], given["output"], given["text"], given["content"]].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  return parts.length > 0 ? parts.join("\n") : output === undefined ? "" : JSON.stringify(output, undefined, 2);
}
