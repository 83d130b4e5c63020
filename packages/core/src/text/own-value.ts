/**
 * The value an object itself has under a name; `undefined` for a name that only its prototype knows, as "constructor".
 * For objects of a host or a user. A table of your own is a `tableOf`.
 */
export function ownValue<T extends object>(members: T, name: PropertyKey): T[keyof T] | undefined {
  // own key: the object has it.
  return Object.hasOwn(members, name) ? members[name as keyof T] : undefined;
}
