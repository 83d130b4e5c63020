/** A copy without the members that are undefined, so that live events equal stored ones. */
export function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const copy: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key of Object.keys(members) as (keyof T)[])
    if (members[key] !== undefined) copy[key] = members[key] as Exclude<T[typeof key], undefined>;
  return copy;
}
