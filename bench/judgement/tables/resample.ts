export const RESAMPLES = 300;

/** Draws both lists again with replacement, the same way every time. */
export function resample<T>(good: readonly T[], bad: readonly T[]): readonly (readonly [T[], T[]])[] {
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const draw = (list: readonly T[]): T[] => list.map(() => list[Math.floor(random() * list.length)] as T);
  return Array.from({ length: RESAMPLES }, () => [draw(good), draw(bad)] as const);
}
