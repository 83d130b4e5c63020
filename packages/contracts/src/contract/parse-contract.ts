import { toObject } from "@phasekit/core/adapter";
import type { z } from "zod";
import { notePlaces, type NamesDraft } from "./contract-places.ts";
import { type Contract, contractSchema } from "./contract-schema.ts";
import type { ContractIssue } from "./contract-issue.ts";
import { parsePlainYaml } from "./plain-yaml.ts";
import { schemaIssueText } from "./schema-issue.ts";
import { hashContent } from "../sha256.ts";

/** Result of `parseContract()`: the contract if the file is valid, and every issue. */
export interface ParsedContract {
  readonly contract: Contract | undefined;
  readonly issues: readonly ContractIssue[];
}

/** Maximum number of field issues that are listed, each with its position. */
const MAX_FIELD_ISSUES = 50;

/** Maximum characters of a contract file. */
const MAX_CONTRACT_LENGTH = 65_536;

/**
 * Parses one contract: YAML front matter between two `---` lines, then the instructions for the agent.
 *
 * @example
 * const { contract, issues } = parseContract(text, { file: "prompts/phases/research.md" });
 */
export function parseContract(text: string, options: { readonly file?: string } = {}): ParsedContract {
  const { contract, issues } = readContract(text, options);
  return { contract, issues };
}

/** Parses one contract; of one with mistakes it keeps the names that are right, so that they can be checked as well. */
export function readContract(
  text: string,
  { file = "contract.md" }: { readonly file?: string } = {},
): ParsedContract & { readonly names: NamesDraft | undefined } {
  const at = (offset: number) => positionOf(text, offset);
  const issue = (code: ContractIssue["code"], message: string, offset = 0): ContractIssue => ({
    severity: "error",
    code,
    message,
    file,
    ...at(offset),
  });
  const failed = (...issues: readonly ContractIssue[]) => ({ contract: undefined, names: undefined, issues });

  if (text.length > MAX_CONTRACT_LENGTH)
    return failed(issue("TOO_LARGE", `the file has more than ${MAX_CONTRACT_LENGTH} characters`));
  const encoding = encodingProblem(text);
  if (encoding !== undefined) return failed(issue("ENCODING", encoding.message, encoding.offset));

  const front = splitFrontMatter(text);
  if (front === undefined)
    return failed(issue("FRONT_MATTER", "the file must begin with front matter: a line ---, YAML, a line ---"));
  const yaml = parsePlainYaml(front.yaml);
  const unplain = yaml.issues.map(({ code, message, offset }) => issue(code, message, front.start + offset));
  if (yaml.value === undefined) return failed(...unplain);

  const placeIn = (path: readonly PropertyKey[]) => at(front.start + yaml.offsetOf(path));
  const parsed = contractSchema.safeParse(yaml.value);
  if (parsed.success && unplain.length === 0) {
    const contract: Contract = { ...parsed.data, body: front.body, hash: hashContent(text), file };
    notePlaces(contract, placeIn);
    const inner = checkFields(contract).map(({ path, message }) =>
      issue("FIELD", message, front.start + yaml.offsetOf(path)),
    );
    return { contract: inner.length > 0 ? undefined : contract, issues: inner, names: contract };
  }
  const fields = (parsed.error?.issues ?? [])
    .slice(0, MAX_FIELD_ISSUES)
    .flatMap(({ code, path, message, ...details }) => {
      // Report an unknown field at its own name, not at the start of its parent.
      const keys =
        code === "unrecognized_keys" ? (details as unknown as { readonly keys: readonly string[] }).keys : undefined;
      return keys === undefined
        ? [issue("FIELD", schemaIssueText({ path, message }), front.start + yaml.offsetOf(path))]
        : keys
            .slice(0, MAX_FIELD_ISSUES)
            .map((key) => issue("FIELD", `unknown field "${key}"`, front.start + yaml.offsetOf([...path, key])));
    });
  // A value that is not plain gets one issue per line, not a second one for its type.
  const issues = [...unplain, ...fields.filter(({ line }) => !unplain.some((other) => other.line === line))];
  return { contract: undefined, issues, names: notePlaces({ ...namesIn(yaml.value), file }, placeIn) };
}

/** The names in front matter that has mistakes; a name of the wrong type is left out. */
function namesIn(front: unknown): NamesDraft {
  const { phase, next_phase, done_when, validation } = contractSchema.shape;
  const { structural_checks, escalate_if } = validation.unwrap().shape;
  const given = toObject(front);
  const checks = toObject(given["validation"]);
  const valid = <T>(schema: z.ZodType<T>, value: unknown): T | undefined => schema.safeParse(value).data;
  return {
    phase: valid(phase, given["phase"]),
    next_phase: valid(next_phase, given["next_phase"]),
    done_when: valid(done_when, given["done_when"]) ?? [],
    validation: {
      structural_checks: valid(structural_checks, checks["structural_checks"]) ?? [],
      escalate_if: valid(escalate_if, checks["escalate_if"]) ?? [],
    },
  };
}

/** Finds fields that contradict each other, which the schema cannot see. */
export function checkFields({
  artifact_path,
  required_sections,
  section_aliases,
  min_length,
  phase,
  next_phase,
}: Contract): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const problems: { readonly path: readonly string[]; readonly message: string }[] = [];
  if (artifact_path === undefined && required_sections.length > 0)
    problems.push({ path: ["required_sections"], message: "required_sections needs an artifact_path" });
  if (artifact_path === undefined && min_length !== undefined)
    problems.push({ path: ["min_length"], message: "min_length needs an artifact_path" });
  if (next_phase === phase) problems.push({ path: ["next_phase"], message: "a phase cannot follow itself" });
  const seen = new Set<string>();
  for (const section of required_sections) {
    if (seen.has(section))
      problems.push({ path: ["required_sections"], message: `the section "${section}" is listed twice` });
    seen.add(section);
  }
  for (const section of Object.keys(section_aliases)) {
    if (!seen.has(section))
      problems.push({ path: ["section_aliases", section], message: `"${section}" is not a required section` });
  }
  return problems;
}

/** Splits a file into the YAML between the first two `---` lines, its offset, and the text below. */
export function splitFrontMatter(
  text: string,
): { readonly yaml: string; readonly start: number; readonly body: string } | undefined {
  const open = /^---[ \t]*\r?\n/.exec(text);
  if (open === null) return undefined;
  const start = open[0].length;
  const close = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(start));
  if (close === null) return undefined;
  return {
    yaml: text.slice(start, start + close.index),
    start,
    body: text.slice(start + close.index + close[0].length).trim(),
  };
}

function encodingProblem(text: string): { readonly message: string; readonly offset: number } | undefined {
  if (text.startsWith("\ufeff"))
    return { message: "the file begins with a byte order mark; save it as UTF-8 without one", offset: 0 };
  const nul = text.indexOf("\0");
  if (nul !== -1) return { message: "the file is not UTF-8 text", offset: nul };
  const broken = text.indexOf("\ufffd");
  if (broken !== -1) return { message: "the file is not valid UTF-8", offset: broken };
  const lone = /\r(?!\n)/.exec(text);
  if (lone !== null) return { message: "the file mixes line endings", offset: lone.index };
  const newlines = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  return windows > 0 && windows !== newlines
    ? { message: "the file mixes line endings", offset: /(?<!\r)\n/.exec(text)?.index ?? 0 }
    : undefined;
}

function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}
