/** What stands before a run of a tree; nothing before one that no other run started. */
export function branch(depth: number): string {
  return depth === 0 ? "" : `${"  ".repeat(depth - 1)}└ `;
}
