import type { Json, JsonObject, Redactor } from "@phasekit/core";
import { invalidStoreOption } from "../errors.ts";
import { nameMembers } from "./name-members.ts";
import { createRegisteredSecrets } from "./registered-secrets.ts";
import { redactText } from "./redact-text.ts";
import { judgeName, type NameKind } from "./secret-names.ts";
import { secretMember, type SecretPattern } from "./secret-patterns.ts";
import { isPhrase, isSecretValue } from "./secret-values.ts";
import { createSplitSecrets, type SplitSecrets } from "./split-secrets.ts";

export interface RedactSecretsOptions {
  /**
   * Secrets of your own, such as the values of environment variables: found also escaped, encoded, inside other texts
   * and split over pieces of text that follow one another.
   */
  readonly secrets?: readonly string[];
  /** More patterns; keep them bounded, so that time stays linear. */
  readonly patterns?: readonly SecretPattern[];
}

/** The shortest registered secret, and the shortest text that can hold another one. */
const SHORTEST_REGISTERED = 6;
const SHORTEST = 8;
const MAX_DEPTH = 100;
/** Names of members and short texts repeat, so the verdicts on the last ones are cached. */
const MAX_NAMES = 1000;
const LONGEST_NAME = 64;
/** The label of a call, which comes with its request and with its result. */
const LONGEST_LABEL = 160;
const MAX_LONG = 8;

/** Verdicts on the name of a member. */
interface MemberName {
  /** Without the secrets in it. */
  readonly clean: string;
  /** True if every text under it is a secret. */
  readonly isSecret: boolean;
  /** The kind of secret that the name announces. */
  readonly kind: NameKind | undefined;
  /** True if a text under it may be a piece of a longer one. */
  readonly isFree: boolean;
}

/**
 * Removes secrets from everything a run stores: provider keys, tokens, private keys, passwords in addresses, cookies
 * and the secrets you register. Applied to its own output, it changes nothing. Without a
 * secret it returns the same object. It withholds a text it cannot handle.
 *
 * @example
 * createRun({ redact: redactSecrets({ secrets: [process.env.DATABASE_PASSWORD ?? ""].filter(Boolean) }) });
 * @throws INVALID_OPTION for a registered secret of fewer than 6 characters: it would be found everywhere
 */
export function redactSecrets(options?: RedactSecretsOptions): Redactor {
  return new SecretRedactor(options).run;
}

class SecretRedactor {
  readonly #secrets: readonly string[];
  readonly #patterns: readonly SecretPattern[];
  readonly #registered: (text: string) => string;
  readonly #split: SplitSecrets;
  readonly #names = new Map<string, MemberName>();
  /** Short texts without a secret: outcomes, tools, paths and labels repeat. */
  readonly #shortTexts = new Set<string>();
  /** The last longer ones: a task is also the first message, and the last message is also the end. */
  readonly #longTexts = new Set<string>();

  constructor({ secrets = [], patterns = [] }: RedactSecretsOptions = {}) {
    this.#secrets = secrets;
    this.#patterns = patterns;
    const short = secrets.find((secret) => secret.length < SHORTEST_REGISTERED);
    if (short !== undefined) throw invalidStoreOption("secrets", "a secret needs at least 6 characters");
    this.#registered = createRegisteredSecrets(secrets);
    this.#split = createSplitSecrets(secrets);
  }

  readonly run: Redactor = (event) => this.#walkObject(event, 0);

  #clean(text: string): string {
    if (text.length < SHORTEST_REGISTERED) return text;
    const isLong = text.length > LONGEST_LABEL;
    const known = isLong ? this.#longTexts : this.#shortTexts;
    if (known.has(text)) return text;
    const result = this.#redact(text);
    if (known.size > (isLong ? MAX_LONG : MAX_NAMES)) known.clear();
    if (result === text) known.add(text);
    return result;
  }

  #redact(text: string): string {
    try {
      const result = this.#registered(text);
      return result.length < SHORTEST ? result : redactText(result, this.#patterns);
    } catch (error) {
      return `[unredactable:${error instanceof Error ? error.name : "error"}]`;
    }
  }

  /** Texts that may be cut anywhere are also searched for parts of registered secrets at both ends. */
  #cleanPiece(text: string): string {
    return this.#split.redactEdges(this.#clean(text));
  }

  #nameOf(key: string): MemberName {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = {
      clean: this.#clean(key),
      isSecret: key.length <= 32 && secretMember.test(key),
      kind: key.length <= LONGEST_NAME ? judgeName(key) : undefined,
      isFree: !nameMembers.has(key),
    };
    if (this.#names.size > MAX_NAMES) this.#names.clear();
    if (key.length <= LONGEST_NAME) this.#names.set(key, name);
    return name;
  }

  #walk(value: Json, depth: number): Json {
    if (typeof value === "string") return this.#cleanPiece(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return "[unredactable:depth]";
    return Array.isArray(value)
      ? this.#walkList(value as readonly Json[], depth)
      : this.#walkObject(value as JsonObject, depth);
  }

  #walkList(given: readonly Json[], depth: number): readonly Json[] {
    const list = this.#secrets.length === 0 || given.length < 2 ? given : this.#split.redactPieces(given);
    let copy: Json[] | undefined;
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index] as Json;
      const cleaned = this.#walk(item, depth + 1);
      if (cleaned !== item) (copy ??= [...list])[index] = cleaned;
    }
    return copy ?? list;
  }

  /** Cleans the text under a name; of a `value`, the name beside it counts, as in lists of variables and fields. */
  #cleanMember(text: string, name: MemberName, siblings: JsonObject | undefined): string {
    if (isWithheld(name, text)) return withheld(text, name.clean);
    const given = siblings?.["name"];
    if (typeof given === "string" && isNamed(this.#nameOf(given), text))
      return withheld(text, this.#nameOf(given).clean);
    return name.isFree ? this.#cleanPiece(text) : this.#clean(text);
  }

  #walkObject(object: JsonObject, depth: number): JsonObject {
    let changes: Map<string, readonly [string, Json]> | undefined;
    for (const key in object) {
      // own key: the names of the object itself
      const member = object[key] as Json;
      if (typeof member !== "string" && typeof member !== "object" && key.length < SHORTEST_REGISTERED) continue;
      const name = this.#nameOf(key);
      const cleaned =
        typeof member === "string"
          ? this.#cleanMember(member, name, key === "value" ? object : undefined)
          : this.#walk(member, depth + 1);
      if (cleaned !== member || name.clean !== key) (changes ??= new Map()).set(key, [name.clean, cleaned]);
    }
    if (changes === undefined) return object;
    const found = changes;
    return Object.fromEntries(Object.entries(object).map(([key, member]) => found.get(key) ?? [key, member]));
  }
}

function isWithheld(name: MemberName, text: string): boolean {
  return name.isSecret ? text !== "" : isNamed(name, text);
}

function isNamed({ kind, clean }: MemberName, text: string): boolean {
  return kind !== undefined && (isSecretValue(text, kind, "quoted") || isPhrase(text, clean));
}

function withheld(text: string, name: string): string {
  return text.startsWith("[redacted:") ? text : `[redacted:${name.toLowerCase()}]`;
}
