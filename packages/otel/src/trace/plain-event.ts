import type { RunEvent } from "@phasekit/core";
import { toObject } from "@phasekit/core/adapter";
import type { Pseudonyms } from "./pseudonyms.ts";

type Plain = string | number | boolean | readonly Plain[] | PlainObject;
interface PlainObject {
  readonly [key: string]: Plain;
}

/** Treatment of the texts in a member while text is off. */
type Treatment =
  /** A word of a closed list, or a name that a program gives: of a phase, a tool, a policy, a model. */
  | "word"
  /** Names of files: hidden, and two that were equal stay equal. */
  | "path"
  /** Names of calls and checks that are only compared. */
  | "identity"
  /** A file and what was done to it: `sum.test.ts: deleted`. */
  | "noted-path"
  /** In other attributes if text is on, or of no use to a reader. */
  | "left-out";

const TREATMENTS: ReadonlyMap<string, Treatment> = new Map(
  (
    [
      [
        "word",
        "type agent call loop run graph phase mode id item parent child tool model finishReason outcome code do to " +
          "from by reason endReason predicate gate check verdict how limit review trigger unit nudge claim status on " +
          "entry restores actor policy during severity kind held activity parts effect answer runner delivers " +
          "stashes cause includes name",
      ],
      ["path", "folder targets reads edits removes restores reaches changed paths files path failing"],
      ["identity", "hash fingerprint fingerprints about signature subject plan episode line hiddenBy conflict first"],
      ["noted-path", "weakens loosens"],
      ["left-out", "input output policies interpreters faults"],
    ] as const
  ).flatMap(([treatment, keys]) => keys.split(" ").map((key) => [key, treatment] as const)),
);

/** Types whose `name` is that of a person. */
const NAMES_PERSON = /^(?:phase\.|move\.)/;

/** Texts of names are short; a longer one would be no name. */
const MAX_NAME = 200;

/** Decides what leaves the process with text on, and what without. */
export interface EventFilter {
  readonly text: boolean;
  readonly pseudonyms: Pseudonyms;
}

/**
 * Returns an event without inputs and outputs of tools. With text off, every other text is left out too, unless it is a
 * word of a closed list or the name of a phase, a tool, a policy or a model; names of files and calls are hidden.
 */
export function plainEvent(event: RunEvent, { text, pseudonyms }: EventFilter): PlainObject {
  if (text) return withoutMembers(event);
  const hidesName = NAMES_PERSON.test(event.type);

  function plainOf(value: unknown, key: string): Plain | undefined {
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
        return hidesName && key === "name" ? undefined : value.slice(0, MAX_NAME);
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

  function plainList(values: readonly unknown[], key: string): readonly Plain[] {
    const list: Plain[] = [];
    for (const value of values) {
      const plain = plainOf(value, key);
      if (plain !== undefined) list.push(plain);
    }
    return list;
  }

  function plainObject(object: Readonly<Record<string, unknown>>): PlainObject {
    const plain: Record<string, Plain> = {};
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

function notedPath(text: string, { path, identity }: Pseudonyms): string {
  const at = text.lastIndexOf(": ");
  if (at < 0) return path(text);
  const what = text.slice(at + 2);
  return `${path(text.slice(0, at))}: ${what === "deleted" ? what : identity(what)}`;
}

function withoutMembers(event: RunEvent): PlainObject {
  const { input: _input, output: _output, policies: _policies, interpreters: _interpreters, ...rest } = toObject(event);
  return rest as PlainObject;
}
