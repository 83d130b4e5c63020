/** Names a set keeps; counters go on beyond it. */
const MAX_NAMES = 4096;

/** Adds a name; false when it was known. The oldest goes when there are too many. */
export function rememberName(names: Set<string>, given: string): boolean {
  const name = plainName(given);
  if (name === "" || names.has(name)) return false;
  names.add(name);
  if (names.size > MAX_NAMES) {
    const [oldest] = names;
    if (oldest !== undefined) names.delete(oldest);
  }
  return true;
}

/** True if a name was added, under any folder: `pytest test_x.py` runs the file written as `/app/test_x.py`. */
export function isRemembered(names: ReadonlySet<string>, given: string): boolean {
  const name = plainName(given);
  if (names.has(name)) return true;
  for (const known of names) if (known.endsWith(`/${name}`) || name.endsWith(`/${known}`)) return true;
  return false;
}

function plainName(given: string): string {
  return given.startsWith("./") ? given.slice(2) : given;
}
