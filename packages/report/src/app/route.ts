/** A place in the report: the part of the url after "#". */
export type Route =
  | { readonly page: "folder" }
  | { readonly page: "run"; readonly run: string; readonly seq?: number }
  | { readonly page: "compare"; readonly a: string; readonly b: string };

/** Parses a url hash; an unknown one is the first page. */
export function parseRoute(hash: string, only: string | undefined): Route {
  const parts = hash.replace(/^#\/?/, "").split("/").map(decoded);
  const [page, first = "", second = "", third = ""] = parts;
  if (page === "run" && first !== "") {
    const seq = second === "e" ? Number(third) : NaN;
    return { page: "run", run: first, ...(Number.isInteger(seq) && { seq }) };
  }
  if (page === "compare" && first !== "" && second !== "") return { page: "compare", a: first, b: second };
  return only === undefined ? { page: "folder" } : { page: "run", run: only };
}

/** Returns the url of a place. */
export function hrefOf(route: Route): string {
  if (route.page === "folder") return "#/";
  if (route.page === "compare") return `#/compare/${encodeURIComponent(route.a)}/${encodeURIComponent(route.b)}`;
  return `#/run/${encodeURIComponent(route.run)}${route.seq === undefined ? "" : `/e/${String(route.seq)}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}
