import { type Document, isAlias, isMap, isPair, isScalar, LineCounter, type Node, parseDocument, type Scalar, visit } from "yaml";
import type { ContractIssue } from "./contract-issue.ts";

/** A place in the front matter and what is wrong there. */
interface PlainYamlIssue {
  readonly code: ContractIssue["code"];
  readonly message: string;
  readonly offset: number;
}

/** A document of the JSON-like subset, its value, and where each value stands. */
export interface PlainYaml {
  /** `undefined` when it cannot be read; a number that is not plain is an issue, and the rest is read all the same. */
  readonly value: unknown;
  readonly issues: readonly PlainYamlIssue[];
  /** Where the value at a path begins; the nearest one that exists. */
  readonly offsetOf: (path: readonly PropertyKey[]) => number;
}

const MAX_DEPTH = 16;
const MAX_KEY = 128;
const PROTOTYPE_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Reads YAML that means the same to every reader: maps, lists, texts, whole numbers, booleans, null. Anchors, aliases,
 * merge keys, tags, directives, a second document, duplicate keys and keys that reach a prototype are refused.
 */
export function parsePlainYaml(text: string): PlainYaml {
  const tooDeep = scanDepth(text);
  if (tooDeep !== undefined) return { value: undefined, issues: [tooDeep], offsetOf: () => 0 };
  const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, uniqueKeys: true, strict: true, prettyErrors: false, lineCounter: new LineCounter() });
  const issues: PlainYamlIssue[] = [...document.errors, ...document.warnings].map(({ message, pos }) => ({ code: "YAML", message: firstLine(message), offset: pos[0] }));
  issues.push(...findUnplain(document, text));
  // An alias is never expanded: the value is read only from a document without one.
  const value: unknown = issues.length > 0 ? undefined : document.toJS({ maxAliasCount: 0 });
  issues.push(...findOddNumbers(document));
  return { value, issues, offsetOf: (path) => offsetOf(document, path) };
}

/** Counts nesting before anything is parsed: a parser's own recursion is what such a file aims at. */
function scanDepth(text: string): PlainYamlIssue | undefined {
  let brackets = 0;
  let offset = 0;
  for (const line of text.split("\n")) {
    const indent = /^[ \-?]*/.exec(line)?.[0].length ?? 0;
    // A level takes at least one column, by an indent or by a run of "- - -".
    if (line.trim() !== "" && indent > MAX_DEPTH * 8) return { code: "TOO_LARGE", message: `more than ${MAX_DEPTH} levels deep`, offset };
    for (let index = 0; index < line.length; index += 1) {
      const character = line[index];
      if (character === "[" || character === "{") brackets += 1;
      else if (character === "]" || character === "}") brackets = Math.max(0, brackets - 1);
      if (brackets > MAX_DEPTH) return { code: "TOO_LARGE", message: `more than ${MAX_DEPTH} levels deep`, offset: offset + index };
    }
    offset += line.length + 1;
  }
  return undefined;
}

function findUnplain(document: Document.Parsed, text: string): readonly PlainYamlIssue[] {
  const issues: PlainYamlIssue[] = [];
  const report = (message: string, offset = 0): void => void issues.push({ code: "NOT_PLAIN", message, offset });
  const directive = /^%.*/m.exec(text);
  if (directive !== null) report("directives are not allowed", directive.index);
  visit(document, {
    Node: (_key, node, path) => {
      const at = node.range?.[0] ?? 0;
      if (isAlias(node)) return report("aliases (*name) are not allowed", at);
      if (node.anchor !== undefined) report("anchors (&name) are not allowed", at);
      if (node.tag !== undefined) report("tags (!name) are not allowed", at);
      if (path.length > MAX_DEPTH * 2) report(`more than ${MAX_DEPTH} levels deep`, at);
      return undefined;
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key) || typeof key.value !== "string") report("a key must be a plain text", (key as Node | null)?.range?.[0]);
      else if (PROTOTYPE_KEYS.has(key.value)) report(`the key "${key.value}" is not allowed`, key.range?.[0]);
      else if (key.value === "<<") report("merge keys (<<) are not allowed", key.range?.[0]);
      else if (key.value.length > MAX_KEY) report(`a key is longer than ${MAX_KEY} characters`, key.range?.[0]);
    },
  });
  return issues;
}

function findOddNumbers(document: Document.Parsed): readonly PlainYamlIssue[] {
  const issues: PlainYamlIssue[] = [];
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "number" && !isWholeNumber(node)) issues.push({ code: "NOT_PLAIN", message: `${sourceOf(node)} is not a plain whole number`, offset: node.range?.[0] ?? 0 });
    },
  });
  return issues;
}

/** 1.0, 0x1 and .nan are numbers to a parser; a person may have meant something else. */
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
