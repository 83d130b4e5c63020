import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type CheckedContracts, checkContracts, type KnownNames, unknownNames } from "../contract/check-contracts.ts";
import type { Contract } from "../contract/contract-schema.ts";
import { type ContractIssue, hasErrors } from "../contract/contract-issue.ts";
import { type ContractNames, isComplete, type NamesDraft } from "../contract/contract-places.ts";
import { readContract } from "../contract/parse-contract.ts";
import { readRegularFile } from "./safe-files.ts";

/** Maximum bytes of a contract file. */
const MAX_BYTES = 65_536;

/**
 * Loads every `.md` file of a folder as a contract and checks them as a set. One invalid file makes the whole set
 * invalid, because a phase without its contract would have no checks.
 *
 * @example
 * const contracts = contractsOrThrow(await loadContracts("prompts/phases"));
 */
export async function loadContracts(directory: string, known: KnownNames = {}): Promise<CheckedContracts> {
  const issues: ContractIssue[] = [];
  const contracts: Contract[] = [];
  const drafts: (NamesDraft | undefined)[] = [];
  const names = await namesIn(directory);
  if (typeof names === "string") return { ok: false, issues: [unreadable(directory, names)] };
  for (const name of names) {
    const file = join(directory, name);
    const text = await readText(file);
    if (typeof text !== "string") {
      issues.push({ ...unreadable(file, text.problem), code: text.code });
      drafts.push(undefined);
      continue;
    }
    const parsed = readContract(text, { file });
    issues.push(...parsed.issues);
    drafts.push(parsed.names);
    if (parsed.contract !== undefined) contracts.push(parsed.contract);
  }
  if (hasErrors(issues)) {
    // A reference to a file that does not say its phase is not a second issue.
    const names = drafts.every(isComplete)
      ? issuesOf(drafts, known)
      : drafts.flatMap((draft) => (draft === undefined ? [] : unknownNames(draft, known)));
    return { ok: false, issues: [...issues, ...names].toSorted(inOrder) };
  }
  return checkContracts(contracts, known);
}

/** A check of the set reads nothing but the names of its contracts. */
function issuesOf(names: readonly ContractNames[], known: KnownNames): readonly ContractIssue[] {
  const checked = checkContracts(names as readonly Contract[], known);
  return checked.ok ? checked.warnings : checked.issues;
}

const inOrder = (a: ContractIssue, b: ContractIssue): number =>
  a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1;

async function namesIn(directory: string): Promise<readonly string[] | string> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith(".md") && !name.startsWith(".")).toSorted();
  } catch (error) {
    return `the folder cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function readText(
  file: string,
): Promise<string | { readonly problem: string; readonly code: ContractIssue["code"] }> {
  const read = await readRegularFile(file, { maxBytes: MAX_BYTES });
  if (!read.ok) return { problem: read.detail, code: read.reason === "too-large" ? "TOO_LARGE" : "UNREADABLE" };
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(read.bytes);
  } catch {
    return { problem: "the file is not valid UTF-8", code: "ENCODING" };
  }
}

function unreadable(file: string, message: string): ContractIssue {
  return { severity: "error", code: "UNREADABLE", message, file, line: 1, column: 1 };
}
