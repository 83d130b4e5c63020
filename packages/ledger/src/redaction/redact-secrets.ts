import type { Json, JsonObject, Redactor } from "@phasekit/core";
import { invalidStoreOption } from "../errors.ts";
import { factNames } from "./fact-names.ts";
import { createRegisteredSecrets } from "./registered-secrets.ts";
import { redactPem, replaceSecret, secretMember, type SecretPattern, secretPatterns } from "./secret-patterns.ts";
import { anySign, signs } from "./secret-signs.ts";
import { createSplitSecrets } from "./split-secrets.ts";

export interface RedactSecretsOptions {
  /**
   * Secrets of your own, such as the values of environment variables: found also escaped, encoded, inside other texts
   * and split over pieces of text that follow one another.
   */
  readonly secrets?: readonly string[];
  /** More patterns; keep them bounded, so that time stays linear. */
  readonly patterns?: readonly SecretPattern[];
}

/** The shortest text that can hold a secret. */
const SHORTEST = 8;
const MAX_DEPTH = 100;
const MAX_ROUNDS = 6;
/** Names of members repeat; what was found about so many of them is remembered. */
const MAX_NAMES = 2000;
const LONGEST_NAME = 64;

/** What is known about the name of a member. */
interface MemberName {
  /** Without the secrets in it. */
  readonly clean: string;
  /** Whether a text under it is a secret whatever it looks like. */
  readonly isSecret: boolean;
  /** Whether a text under it may be a piece of a longer one. */
  readonly isFree: boolean;
}

/**
 * Takes secrets out of everything a run stores: provider keys, tokens, private keys, passwords in addresses, cookies
 * and the secrets you register. Gives the same for its own output, and the very same object when there is nothing to
 * take out. A text it cannot handle is withheld as a whole.
 *
 * @example
 * createRun({ redact: redactSecrets({ secrets: [process.env.DATABASE_PASSWORD ?? ""].filter(Boolean) }) });
 * @throws INVALID_OPTION for a registered secret of fewer than 6 characters: it would be found everywhere
 */
export function redactSecrets({ secrets = [], patterns = [] }: RedactSecretsOptions = {}): Redactor {
  const short = secrets.find((secret) => secret.length < 6);
  if (short !== undefined) throw invalidStoreOption("secrets", "a secret needs at least 6 characters");
  const registered = createRegisteredSecrets(secrets);
  const split = createSplitSecrets(secrets);
  const names = new Map<string, MemberName>();

  function clean(text: string): string {
    try {
      const result = registered(text);
      if (result.length < SHORTEST) return result;
      return patterns.length > 0 || anySign.test(result) ? cleanFully(result, patterns) : result;
    } catch (error) {
      return `[unredactable:${error instanceof Error ? error.name : "error"}]`;
    }
  }

  /** Texts that may be cut anywhere are also searched for parts of registered secrets at both ends. */
  function cleanPiece(text: string): string {
    return split.redactEdges(clean(text));
  }

  function nameOf(key: string): MemberName {
    const known = names.get(key);
    if (known !== undefined) return known;
    const name = { clean: clean(key), isSecret: key.length <= 32 && secretMember.test(key), isFree: !factNames.has(key) };
    if (names.size >= MAX_NAMES) names.clear();
    if (key.length <= LONGEST_NAME) names.set(key, name);
    return name;
  }

  function walk(value: Json, depth: number): Json {
    if (typeof value === "string") return cleanPiece(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return "[unredactable:depth]";
    return Array.isArray(value) ? walkList(value as readonly Json[], depth) : walkObject(value as JsonObject, depth);
  }

  function walkList(given: readonly Json[], depth: number): readonly Json[] {
    const list = secrets.length === 0 || given.length < 2 ? given : split.redactPieces(given);
    let copy: Json[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as Json;
      const cleaned = walk(item, depth + 1);
      if (cleaned !== item) (copy ??= [...list])[index] = cleaned;
    }
    return copy ?? list;
  }

  function walkObject(object: JsonObject, depth: number): JsonObject {
    let changes: Map<string, readonly [string, Json]> | undefined;
    for (const key in object) {
      const member = object[key] as Json;
      const name = nameOf(key);
      const cleaned = name.isSecret && typeof member === "string" && member !== "" ? withheld(member, name.clean) : typeof member === "string" && !name.isFree ? clean(member) : walk(member, depth + 1);
      if (cleaned !== member || name.clean !== key) (changes ??= new Map()).set(key, [name.clean, cleaned]);
    }
    if (changes === undefined) return object;
    const found = changes;
    return Object.fromEntries(Object.entries(object).map(([key, member]) => found.get(key) ?? [key, member]));
  }

  return (fact) => walkObject(fact, 0);
}

function withheld(text: string, name: string): string {
  return text.startsWith("[redacted:") ? text : `[redacted:${name.toLowerCase()}]`;
}

/** Taking one secret out may bare the beginning of another, so it goes on until nothing changes any more. */
function cleanFully(text: string, patterns: readonly SecretPattern[]): string {
  let before = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    let result = signs.privateKey.test(before) ? redactPem(before) : before;
    for (const known of secretPatterns) if (known.sign.test(result)) result = replaceSecret(result, known);
    for (const own of patterns) if (own.hints.length === 0 || own.hints.some((hint) => result.includes(hint))) result = replaceSecret(result, own);
    if (result === before) return result;
    before = result;
  }
  return "[unredactable:unstable]";
}
