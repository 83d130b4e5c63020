/** True if a todo in this state needs no more work. Agents use their own words for it. */
export function isDoneTodo(status: string): boolean {
  return /^(?:completed?|done|cancell?ed|skipped)$/i.test(status);
}
