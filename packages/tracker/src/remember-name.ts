/** Names a set keeps; counters go on beyond it. */
const MAX_NAMES = 4096;

/** Adds a name; false when it was known. The oldest goes when there are too many. */
export function rememberName(names: Set<string>, given: string): boolean {
  const name = given.startsWith("./") ? given.slice(2) : given;
  if (name === "" || names.has(name)) return false;
  names.add(name);
  if (names.size > MAX_NAMES) {
    const [oldest] = names;
    if (oldest !== undefined) names.delete(oldest);
  }
  return true;
}
