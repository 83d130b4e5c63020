import { type Contract, contractSchema } from "./contract-schema.ts";
import type { ContractIssue } from "./contract-issue.ts";
import { parsePlainYaml } from "./plain-yaml.ts";
import { schemaIssueText } from "./schema-issue.ts";
import { hashContent } from "./sha256.ts";

/** What became of a contract file: the contract when nothing is wrong with it, and every issue at once. */
export interface ParsedContract {
  readonly contract: Contract | undefined;
  readonly issues: readonly ContractIssue[];
}

/** A contract file has at most this many characters. */
const MAX_CONTRACT_LENGTH = 65_536;

/**
 * Reads one contract: YAML front matter between two `---` lines, then the instructions for the agent.
 *
 * @example
 * const { contract, issues } = parseContract(text, { file: "prompts/phases/research.md" });
 */
export function parseContract(text: string, { file = "contract.md" }: { readonly file?: string } = {}): ParsedContract {
  const at = (offset: number) => positionOf(text, offset);
  const issue = (code: ContractIssue["code"], message: string, offset = 0): ContractIssue => ({ severity: "error", code, message, file, ...at(offset) });
  const failed = (...issues: readonly ContractIssue[]): ParsedContract => ({ contract: undefined, issues });

  if (text.length > MAX_CONTRACT_LENGTH) return failed(issue("TOO_LARGE", `the file has more than ${MAX_CONTRACT_LENGTH} characters`));
  const encoding = encodingProblem(text);
  if (encoding !== undefined) return failed(issue("ENCODING", encoding.message, encoding.offset));

  const front = splitFrontMatter(text);
  if (front === undefined) return failed(issue("FRONT_MATTER", "the file must begin with front matter: a line ---, YAML, a line ---"));
  const yaml = parsePlainYaml(front.yaml);
  const unplain = yaml.issues.map(({ code, message, offset }) => issue(code, message, front.start + offset));
  if (yaml.value === undefined) return failed(...unplain);

  const parsed = contractSchema.safeParse(yaml.value);
  if (parsed.success && unplain.length === 0) {
    const contract: Contract = { ...parsed.data, body: front.body, hash: hashContent(text), file };
    const inner = checkFields(contract).map(({ path, message }) => issue("FIELD", message, front.start + yaml.offsetOf(path)));
    return inner.length > 0 ? failed(...inner) : { contract, issues: [] };
  }
  const fields = (parsed.error?.issues ?? []).flatMap(({ code, path, message, ...details }) => {
    // An unknown field stands where its name is, not where its parent begins.
    const keys = code === "unrecognized_keys" ? (details as unknown as { readonly keys: readonly string[] }).keys : undefined;
    return keys === undefined
      ? [issue("FIELD", schemaIssueText({ path, message }), front.start + yaml.offsetOf(path))]
      : keys.map((key) => issue("FIELD", `unknown field "${key}"`, front.start + yaml.offsetOf([...path, key])));
  });
  // What is no plain value is not wrong a second time for what it is not.
  return failed(...unplain, ...fields.filter(({ line }) => !unplain.some((other) => other.line === line)));
}

/** What the types cannot see: fields that contradict each other. */
function checkFields({ artifact_path, required_sections, section_aliases, min_length, phase, next_phase }: Contract): readonly { readonly path: readonly string[]; readonly message: string }[] {
  const problems: { readonly path: readonly string[]; readonly message: string }[] = [];
  if (artifact_path === undefined && required_sections.length > 0) problems.push({ path: ["required_sections"], message: "sections are required, but there is no artifact_path" });
  if (artifact_path === undefined && min_length !== undefined) problems.push({ path: ["min_length"], message: "a length is required, but there is no artifact_path" });
  if (next_phase === phase) problems.push({ path: ["next_phase"], message: "a phase cannot follow itself" });
  const seen = new Set<string>();
  for (const section of required_sections) {
    if (seen.has(section)) problems.push({ path: ["required_sections"], message: `the section "${section}" is listed twice` });
    seen.add(section);
  }
  for (const section of Object.keys(section_aliases)) {
    if (!seen.has(section)) problems.push({ path: ["section_aliases", section], message: `"${section}" is not a required section` });
  }
  return problems;
}

/** The YAML between the first two `---` lines, where it begins, and the text below. */
export function splitFrontMatter(text: string): { readonly yaml: string; readonly start: number; readonly body: string } | undefined {
  const open = /^---[ \t]*\r?\n/.exec(text);
  if (open === null) return undefined;
  const start = open[0].length;
  const close = /^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(start));
  if (close === null) return undefined;
  return { yaml: text.slice(start, start + close.index), start, body: text.slice(start + close.index + close[0].length).trim() };
}

function encodingProblem(text: string): { readonly message: string; readonly offset: number } | undefined {
  if (text.startsWith("\ufeff")) return { message: "the file begins with a byte order mark; save it as UTF-8 without one", offset: 0 };
  const nul = text.indexOf("\0");
  if (nul !== -1) return { message: "the file is not UTF-8 text", offset: nul };
  const broken = text.indexOf("\ufffd");
  if (broken !== -1) return { message: "the file is not valid UTF-8", offset: broken };
  const lone = /\r(?!\n)/.exec(text);
  if (lone !== null) return { message: "the file mixes line endings", offset: lone.index };
  const newlines = text.split("\n").length - 1;
  const windows = text.split("\r\n").length - 1;
  return windows > 0 && windows !== newlines ? { message: "the file mixes line endings", offset: /(?<!\r)\n/.exec(text)?.index ?? 0 } : undefined;
}

function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - (before.lastIndexOf("\n") + 1) + 1 };
}
