import type { Json, JsonObject, RunEvent } from "@phasekit/core";
import { isReason, toObject } from "@phasekit/core/adapter";
import { createPseudonyms, type Pseudonyms } from "./pseudonyms.ts";

/** Treatment of the texts in a member. */
type Treatment =
  /** A word of a closed list, or a name that a program gives: of a phase, a tool, a policy, a model. */
  | "word"
  /** Names of files: hidden, and two that were equal stay equal. */
  | "path"
  /** Names of calls and checks that are only compared. */
  | "identity"
  /** A file and what was done to it: `sum.test.ts: deleted`. */
  | "noted-path"
  /** Texts of the agent and of its tools, or of no use to a reader. */
  | "left-out";

const TREATMENTS: ReadonlyMap<string, Treatment> = /* @__PURE__ */ treatmentsOf([
  [
    "word",
    `type agent call loop run graph phase mode id item parent child tool model finishReason outcome code do to \
from by reason endReason predicate gate check verdict how limit review trigger unit nudge claim status on entry \
restores actor policy during severity kind held activity parts effect answer runner delivers stashes cause includes \
name`,
  ],
  ["path", "folder targets reads edits removes addsTests restores reaches changed paths files path failing"],
  ["identity", "hash fingerprint fingerprints about signature subject plan episode line hiddenBy conflict first"],
  ["noted-path", "weakens loosens"],
  ["left-out", "input output policies interpreters faults"],
]);

function treatmentsOf(keys: readonly (readonly [Treatment, string])[]): ReadonlyMap<string, Treatment> {
  return new Map(keys.flatMap(([treatment, names]) => names.split(" ").map((name) => [name, treatment] as const)));
}

/** Types whose `name` is that of a person, and whose `reason` is a sentence. */
const BY_PEOPLE = /^(?:phase\.|move\.)/;

/** Texts of names are short; a longer one would be no name. */
const MAX_NAME = 200;

export interface HideTextsOptions {
  /** Mixed into the hashes of names: with a secret one, no reader can find a name by trying names. @default "" */
  readonly salt?: string;
}

/**
 * Creates a function that takes an event without its texts: prompts, answers, inputs and outputs of tools. What stays
 * is a word of a closed list, or the name of a phase, a tool, a policy or a model. Names of files and calls become
 * hashes, the same one for the same name.
 *
 * @example
 * const hide = hideTexts({ salt: randomUUID() });
 * const shared = events.map(hide);
 */
export function hideTexts({ salt = "" }: HideTextsOptions = {}): (event: RunEvent) => JsonObject {
  const pseudonyms = createPseudonyms(salt);
  return (event) => plainEvent(event, pseudonyms);
}

function plainEvent(event: RunEvent, pseudonyms: Pseudonyms): JsonObject {
  const isByPeople = BY_PEOPLE.test(event.type);

  function plainOf(value: unknown, key: string): Json | undefined {
    switch (typeof value) {
      case "number":
      case "boolean":
        return value;
      case "string":
        return plainText(value, key);
      case "object":
        if (value === null) return undefined;
        return Array.isArray(value) ? plainList(value, key) : plainObject(value as Readonly<Record<string, unknown>>);
      default:
        return undefined;
    }
  }

  function plainText(value: string, key: string): string | undefined {
    switch (TREATMENTS.get(key)) {
      case "word":
        return isByPeople && isSentence(key, value) ? undefined : value.slice(0, MAX_NAME);
      case "path":
        return pseudonyms.path(value);
      case "identity":
        return pseudonyms.identity(value);
      case "noted-path":
        return notedPath(value, pseudonyms);
      default:
        // An agent that said something when it finished is not one that said nothing.
        return key === "text" && value !== "" && event.type === "finish.requested" ? "…" : undefined;
    }
  }

  function plainList(values: readonly unknown[], key: string): readonly Json[] {
    const list: Json[] = [];
    for (const value of values) {
      const plain = plainOf(value, key);
      if (plain !== undefined) list.push(plain);
    }
    return list;
  }

  function plainObject(object: Readonly<Record<string, unknown>>): JsonObject {
    const plain: Record<string, Json> = {};
    for (const key in object) {
      if (TREATMENTS.get(key) === "left-out") continue;
      const value = plainOf(object[key], key);
      // own key: from the loop
      if (value !== undefined) plain[key] = value;
    }
    return plain;
  }

  return plainObject(toObject(event));
}

const isSentence = (key: string, value: string): boolean => key === "name" || (key === "reason" && !isReason(value));

function notedPath(text: string, { path, identity }: Pseudonyms): string {
  const at = text.lastIndexOf(": ");
  if (at < 0) return path(text);
  const what = text.slice(at + 2);
  return `${path(text.slice(0, at))}: ${what === "deleted" ? what : identity(what)}`;
}
