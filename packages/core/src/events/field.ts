import { clipJson, clipText, type ClipLimits } from "../text/clip.ts";
import { normalizeJson } from "../text/json.ts";

/** One issue of an event, and its path. */
export interface EventIssue {
  readonly path: string;
  readonly message: string;
}

/** Everything a field needs to read a value: the clip limits, and the list for its issues. */
export interface FieldContext {
  readonly clip: Required<ClipLimits>;
  readonly issues: EventIssue[];
}

/** The description of one field: the single source of its type, its check at ingestion and its place in the event. */
export interface Field<T, TOptional extends boolean = boolean> {
  readonly optional: TOptional;
  /** The value as it is stored; `undefined` after an issue was noted. */
  readonly take: (value: unknown, path: string, taking: FieldContext) => T | undefined;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

type OptionalKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type Value<F> = F extends Field<infer T> ? T : never;

/** The type a set of fields describes. */
export type FieldValues<F extends Fields> = {
  readonly [K in Exclude<keyof F, OptionalKeys<F>>]: Value<F[K]>;
} & { readonly [K in OptionalKeys<F>]?: Value<F[K]> };

function required<T>(take: Field<T>["take"]): Field<T, false> {
  return { optional: false, take };
}

/** Makes a field optional; `undefined` and `null` both mean absent. */
export function optional<T>(field: Field<T>): Field<T, true> {
  return { optional: true, take: field.take };
}

function wrong({ issues }: FieldContext, path: string, [expected, value]: readonly [string, unknown]): undefined {
  const found = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  issues.push({ path, message: `expected ${expected}, found ${found}` });
  return undefined;
}

/** A text, clipped to the limit for texts. */
export const text: Field<string, false> = required((value, path, taking) =>
  typeof value === "string" ? clipText(value, taking.clip.text) : wrong(taking, path, ["a text", value]),
);

/** A text that is kept whole up to the limit for inputs: a stack, or the message of the error that ended a run. */
export const longText: Field<string, false> = required((value, path, taking) =>
  typeof value === "string" ? clipText(value, taking.clip.input) : wrong(taking, path, ["a text", value]),
);

/** A short text that names something: never empty, at most 200 characters. */
export const name: Field<string, false> = required((value, path, taking) =>
  typeof value === "string" && value !== ""
    ? clipText(value, 200)
    : wrong(taking, path, ["a text that is not empty", value]),
);

/** A finite number. */
export const number: Field<number, false> = required((value, path, taking) =>
  typeof value === "number" && Number.isFinite(value) ? value + 0 : wrong(taking, path, ["a finite number", value]),
);

/** A finite number that is not negative. */
export const count: Field<number, false> = required((value, path, taking) =>
  typeof value === "number" && value >= 0 && value < Infinity
    ? value + 0
    : wrong(taking, path, ["a number that is not negative", value]),
);

/** true or false. */
export const flag: Field<boolean, false> = required((value, path, taking) =>
  typeof value === "boolean" ? value : wrong(taking, path, ["true or false", value]),
);

/** Any value, stored as JSON and clipped to the named limit. */
export const json = (limit: keyof ClipLimits): Field<unknown, false> =>
  required((value, _path, { clip }) => {
    if (typeof value === "string") return clipText(value, clip[limit]);
    return clipJson(normalizeJson(value), clip[limit]);
  });

/** One of a few words. */
export const oneOf = <const T extends string>(...words: readonly T[]): Field<T, false> =>
  required((value, path, taking) =>
    words.includes(value as T)
      ? (value as T)
      : wrong(taking, path, [`one of ${words.map((word) => `"${word}"`).join(", ")}`, value]),
  );

/** A list of values of one kind, at most 1,000 of them. */
export const list = <T>(item: Field<T>): Field<readonly T[], false> =>
  required((value, path, taking) => {
    if (!Array.isArray(value)) return wrong(taking, path, ["a list", value]);
    const items: T[] = [];
    const length = Math.min(value.length, 1000);
    for (let index = 0; index < length; index += 1) {
      const noted = taking.issues.length;
      const taken = item.take(value[index], "", taking);
      if (taken !== undefined) items.push(taken);
      if (taking.issues.length > noted) prefixIssues(taking.issues, noted, `${path}[${String(index)}]`);
    }
    return items;
  });

/** An object whose members are all of one kind, at most 1,000 of them. */
export const mapOf = <T>(item: Field<T>): Field<Readonly<Record<string, T>>, false> =>
  required((value, path, taking) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return wrong(taking, path, ["an object", value]);
    const members: Record<string, T> = {};
    const noted = taking.issues.length;
    for (const [key, entry] of Object.entries(value).slice(0, 1000)) {
      const taken = key === "__proto__" ? undefined : item.take(entry, key, taking);
      // own key: "__proto__" is left out.
      if (taken !== undefined) members[key] = taken;
    }
    if (taking.issues.length > noted) prefixIssues(taking.issues, noted, `${path}.`);
    return members;
  });

/** An object with described members; others are left out. */
export const shape = <const F extends Fields>(fields: F): Field<FieldValues<F>, false> => {
  const entries = Object.entries(fields);
  return required((value, path, taking) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return wrong(taking, path, ["an object", value]);
    const taken: Record<string, unknown> = {};
    const noted = taking.issues.length;
    takeFields(entries, value as Readonly<Record<string, unknown>>, { into: taken, taking });
    if (taking.issues.length > noted) prefixIssues(taking.issues, noted, `${path}.`);
    return taken as FieldValues<F>;
  });
};

/** Takes described members from one object into another, in the order of the description. */
export function takeFields(
  entries: readonly (readonly [string, Field<unknown>])[],
  source: Readonly<Record<string, unknown>>,
  { into, taking }: { readonly into: Record<string, unknown>; readonly taking: FieldContext },
): void {
  for (const entry of entries) {
    const key = entry[0];
    const field = entry[1];
    const value = source[key];
    if (value === undefined || (value === null && field.optional)) {
      if (!field.optional) taking.issues.push({ path: key, message: "is missing" });
      continue;
    }
    const taken = field.take(value, key, taking);
    if (taken !== undefined) into[key] = taken;
  }
}

// Every member of every event is read here and nearly all are right, so a path is built only for an issue.
function prefixIssues(issues: EventIssue[], from: number, prefix: string): void {
  for (let index = from; index < issues.length; index += 1) {
    const { path, message } = issues[index] as EventIssue;
    issues[index] = { path: `${prefix}${path}`, message };
  }
}
