/** An object without the members that are `undefined`. */
export type DefinedMembers<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** An object in which every member that may be absent may also be `undefined`. */
export type Undefinable<T> = { [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };

/** A copy without the members that are `undefined`, so that live events equal stored ones. */
export function defined<T extends object>(members: T): DefinedMembers<T> {
  const copy: Partial<T> = {};
  for (const key of Object.keys(members) as (keyof T)[]) if (members[key] !== undefined) copy[key] = members[key];
  return copy as unknown as DefinedMembers<T>;
}
