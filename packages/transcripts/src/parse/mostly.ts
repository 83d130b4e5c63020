/**
 * True if at least one entry and four in five fit: formats grow, logs are damaged, and the sample may have cut the last
 * entry.
 */
export function mostly<T>(list: readonly T[], fits: (item: T) => boolean): boolean {
  const count = list.filter(fits).length;
  return count > 0 && count * 5 >= list.length * 4;
}
