/** Bounds of a cache. */
export interface CacheLimits {
  /** Answers to keep. */
  readonly size: number;
  /** Keys longer than this are rarely repeated and would fill the memory: only the last one is kept. */
  readonly longest: number;
}

/** Keeps the answers for the most recent keys. A call is read when it begins and when it ends. */
export function cached<T>(read: (key: string) => T, { size, longest }: CacheLimits): (key: string) => T {
  const answers = new Map<string, T>();
  let long: { readonly key: string; readonly answer: T } | undefined;
  return (key) => {
    if (key.length > longest) {
      if (long?.key !== key) long = { key, answer: read(key) };
      return long.answer;
    }
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = read(key);
    answers.set(key, answer);
    if (answers.size > size) {
      const [oldest] = answers.keys();
      if (oldest !== undefined) answers.delete(oldest);
    }
    return answer;
  };
}
