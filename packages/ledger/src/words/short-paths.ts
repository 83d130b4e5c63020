/** Shortens the paths in a text to their last two parts. */
export function shortPaths(text: string): string {
  return text.replace(/[\w.@+~-]*\/(?:[\w.@+~-]+\/)+[\w.@+~-]+/g, (path) =>
    path.length <= 32 ? path : `…/${path.split("/").slice(-2).join("/")}`,
  );
}
