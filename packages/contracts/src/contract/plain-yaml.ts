import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
} from "yaml";
import type { ContractIssue } from "./contract-issue.ts";

/** An issue in the front matter and its offset. */
interface PlainYamlIssue {
  readonly code: ContractIssue["code"];
  readonly message: string;
  readonly offset: number;
}

/** A parsed document: its value, its issues, and the offset of each value. */
export interface PlainYaml {
  /** Undefined if it cannot be parsed. A number that is not plain is an issue, and the rest is still parsed. */
  readonly value: unknown;
  readonly issues: readonly PlainYamlIssue[];
  /** Offset of the value at a path, or of the nearest one that exists. */
  readonly offsetOf: (path: readonly PropertyKey[]) => number;
}

const MAX_DEPTH = 16;
/** Maximum characters. A contract's fields need a few hundred. */
const MAX_LENGTH = 16_384;
/** Maximum lines. The parser reports several errors for each wrong line, and an error costs more than a line. */
const MAX_LINES = 512;
/** Maximum number of issues; a person does not read more. */
const MAX_ISSUES = 50;
const MAX_KEY = 128;
const PROTOTYPE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Parses YAML that means the same to every parser: maps, lists, texts, whole numbers, booleans, null. Refuses anchors,
 * aliases, merge keys, tags, directives, a second document, duplicate keys and keys that reach a prototype.
 */
export function parsePlainYaml(text: string): PlainYaml {
  const tooMuch = scanDepth(text) ?? scanSize(text);
  if (tooMuch !== undefined) return { value: undefined, issues: [tooMuch], offsetOf: () => 0 };
  const document = withoutStackTraces(() =>
    parseDocument(text, {
      version: "1.2",
      schema: "core",
      merge: false,
      // The parser's check is quadratic; `findUnplain` uses a set.
      uniqueKeys: false,
      strict: true,
      prettyErrors: false,
      lineCounter: new LineCounter(),
    }),
  );
  const issues: PlainYamlIssue[] = [...document.errors, ...document.warnings]
    .slice(0, MAX_ISSUES)
    .map(({ message, pos }) => ({ code: "YAML", message: firstLine(message), offset: pos[0] }));
  issues.push(...findUnplain(document, text));
  // An alias is never expanded: only a document without aliases is converted.
  const value: unknown = issues.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 });
  issues.push(...findOddNumbers(document));
  return { value, issues: issues.slice(0, MAX_ISSUES), offsetOf: (path) => offsetOf(document, path) };
}

/** The parser creates an error for every wrong character, and capturing its stack is most of the cost. */
function withoutStackTraces<T>(parse: () => T): T {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit");
  // Only V8 has a limit; `Reflect.set` does not throw where `Error` is frozen.
  if (typeof limit !== "number") return parse();
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return parse();
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit);
  }
}

function scanSize(text: string): PlainYamlIssue | undefined {
  if (text.length > MAX_LENGTH)
    return {
      code: "TOO_LARGE",
      message: `the front matter has more than ${MAX_LENGTH} characters`,
      offset: MAX_LENGTH,
    };
  if (text.split("\n", MAX_LINES + 1).length > MAX_LINES)
    return { code: "TOO_LARGE", message: `the front matter has more than ${MAX_LINES} lines`, offset: 0 };
  return undefined;
}

/** Counts nesting before parsing, because deep nesting attacks the parser's recursion. */
function scanDepth(text: string): PlainYamlIssue | undefined {
  let brackets = 0;
  let offset = 0;
  for (const line of text.split("\n")) {
    const indent = /^[ \-?]*/.exec(line)?.[0].length ?? 0;
    // A level takes at least one column, by an indent or by a run of "- - -".
    if (line.trim() !== "" && indent > MAX_DEPTH * 8)
      return { code: "TOO_LARGE", message: `more than ${MAX_DEPTH} levels deep`, offset };
    for (let index = 0; index < line.length; index += 1) {
      const character = line[index];
      if (character === "[" || character === "{") brackets += 1;
      else if (character === "]" || character === "}") brackets = Math.max(0, brackets - 1);
      if (brackets > MAX_DEPTH)
        return { code: "TOO_LARGE", message: `more than ${MAX_DEPTH} levels deep`, offset: offset + index };
    }
    offset += line.length + 1;
  }
  return undefined;
}

function findUnplain(document: Document.Parsed, text: string): readonly PlainYamlIssue[] {
  const issues: PlainYamlIssue[] = [];
  const report = (message: string, offset = 0): void => void issues.push({ code: "NOT_PLAIN", message, offset });
  const keys = new Map<unknown, Set<string>>();
  const directive = /^%.*/m.exec(text);
  if (directive !== null) report("directives are not allowed", directive.index);
  visit(document, {
    Node: (_key, node, path) => {
      if (issues.length >= MAX_ISSUES) return visit.BREAK;
      const at = node.range?.[0] ?? 0;
      if (isAlias(node)) return report("aliases (*name) are not allowed", at);
      if (node.anchor !== undefined) report("anchors (&name) are not allowed", at);
      if (node.tag !== undefined) report("tags (!name) are not allowed", at);
      if (path.length > MAX_DEPTH * 2) report(`more than ${MAX_DEPTH} levels deep`, at);
      return undefined;
    },
    Pair: (_key, { key }, path) => {
      if (!isScalar(key) || typeof key.value !== "string")
        report("a key must be a plain text", (key as Node | null)?.range?.[0]);
      else if (PROTOTYPE_KEYS.has(key.value)) report(`the key "${key.value}" is not allowed`, key.range?.[0]);
      else if (key.value === "<<") report("merge keys (<<) are not allowed", key.range?.[0]);
      else if (key.value.length > MAX_KEY) report(`a key is longer than ${MAX_KEY} characters`, key.range?.[0]);
      else {
        const known = keys.get(path.at(-1)) ?? new Set<string>();
        if (known.has(key.value))
          issues.push({ code: "YAML", message: "Map keys must be unique", offset: key.range?.[0] ?? 0 });
        keys.set(path.at(-1), known.add(key.value));
      }
    },
  });
  return issues;
}

function findOddNumbers(document: Document.Parsed): readonly PlainYamlIssue[] {
  const issues: PlainYamlIssue[] = [];
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "number" && !isWholeNumber(node))
        issues.push({
          code: "NOT_PLAIN",
          message: `${sourceOf(node)} is not a plain whole number`,
          offset: node.range?.[0] ?? 0,
        });
    },
  });
  return issues;
}

/** A parser reads 1.0, 0x1 and .nan as numbers; the author may have meant a text. */
function isWholeNumber(node: Scalar): boolean {
  return /^(?:0|[1-9][0-9]{0,14})$/.test(sourceOf(node));
}

function sourceOf(node: Scalar): string {
  return node.source ?? String(node.value);
}

function offsetOf(document: Document.Parsed, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === step);
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
      continue;
    }
    const item: unknown = (node as { readonly items?: readonly unknown[] } | null)?.items?.[Number(step)];
    if (item === undefined) return offset;
    offset = (item as Node).range?.[0] ?? offset;
    node = item;
  }
  return offset;
}

function firstLine(message: string): string {
  return message.split("\n")[0] ?? message;
}
