import type { Json } from "./json.ts";
import { isObject } from "./loose-object.ts";

/** A value in JSON: plain ones as they are, `[n]` for the object at place n, `["…"]` for what JSON does not know. */
type EncodedValue = string | number | boolean | null | readonly [] | readonly [number | string];

/** An object: its kind, and its members in order. */
type Node = readonly [kind: "object" | "table" | "list" | "map" | "set", members: readonly Json[]];

/** A value that JSON cannot hold: where it is, and what it is. */
export interface StateProblem {
  readonly path: string;
  readonly what: string;
}

/**
 * Writes a graph of plain objects, lists, maps and sets as JSON. An object that is reached twice is written once, so it
 * is one object again when it is read. Functions, symbols and objects of a class cannot be written: `problem` gets
 * them.
 */
export function encodeState(root: unknown, problem: (found: StateProblem) => void): readonly Json[] {
  const nodes: Node[] = [];
  const places = new Map<object, number>();
  const encode = (value: unknown, path: string): EncodedValue => {
    if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? value : [numberName(value)];
    if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
    if (value === undefined) return [];
    if (typeof value !== "object") {
      problem({ path, what: typeof value === "function" ? "a function" : `a ${typeof value}` });
      return [];
    }
    const known = places.get(value);
    if (known !== undefined) return [known];
    const place = nodes.length;
    places.set(value, place);
    nodes.push(["list", []]);
    nodes[place] = encodeObject(value, path);
    return [place];
  };
  const encodeObject = (value: object, path: string): Node => {
    const all = (members: Iterable<unknown>): Json[] =>
      Array.from(members, (member, index) => encode(member, `${path}[${String(index)}]`) as Json);
    if (Array.isArray(value)) return ["list", all(value)];
    if (value instanceof Set) return ["set", all(value)];
    if (value instanceof Map) return ["map", all([...value].flat(1))];
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) problem({ path, what: "an object of a class" });
    const members = Object.entries(value).flatMap(([name, member]) => [
      name,
      encode(member, `${path}.${name}`) as Json,
    ]);
    return [prototype === null ? "table" : "object", members];
  };
  encode(root, "");
  return nodes;
}

/** Reads what `encodeState` wrote. Returns `undefined` if it is something else. */
export function decodeState(encoded: unknown): unknown {
  if (!Array.isArray(encoded)) return undefined;
  const objects = encoded.map((node: unknown) => (Array.isArray(node) ? emptyOf(node[0]) : undefined));
  const decode = (value: unknown): unknown => {
    if (!Array.isArray(value)) return value;
    const [place] = value as readonly unknown[];
    if (typeof place === "number") return objects[place];
    return place === undefined ? undefined : Number(place);
  };
  for (const [place, node] of encoded.entries()) fill(objects[place], (node as readonly unknown[])[1], decode);
  return objects[0];
}

function numberName(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function emptyOf(kind: unknown): unknown {
  if (kind === "map") return new Map();
  if (kind === "set") return new Set();
  if (kind === "list") return [];
  return kind === "table" ? Object.create(null) : {};
}

function fill(target: unknown, members: unknown, decode: (value: unknown) => unknown): void {
  if (!Array.isArray(members)) return;
  if (Array.isArray(target)) for (const member of members) target.push(decode(member));
  else if (target instanceof Set) for (const member of members) target.add(decode(member));
  else
    for (let index = 0; index < members.length; index += 2) {
      const [name, value] = [decode(members[index]), decode(members[index + 1])];
      if (target instanceof Map) target.set(name, value);
      else if (isObject(target) && typeof name === "string") defineMember(target, name, value);
    }
}

/** A member that may be named `__proto__`. */
function defineMember(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
}
