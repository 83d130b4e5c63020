const MAX_PATCH = 65_536;

/** A file an edit changes. */
export interface ChangedFile {
  readonly path: string;
  readonly how: "added" | "changed" | "deleted";
  /** The lines it takes away and those it adds. Asked for tests alone, so they are cut out only then. */
  readonly lines: (sign: "-" | "+") => string;
}

/** The files of a patch, in the format of Codex or as a unified diff. */
export function patchFiles(patch: string): readonly ChangedFile[] {
  const text = patch.slice(0, MAX_PATCH);
  const heads = [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$|^--- (\S+).*\n\+\+\+ (\S+).*$/gm)];
  return heads.map((head, index) => {
    const [, verb, file, before = "", after = ""] = head;
    const gone = verb === "Delete" || after === "/dev/null";
    return {
      path: (file ?? (gone ? before : after)).replace(/^[ab]\//, "").trim(),
      how: gone ? "deleted" : verb === "Add" || before === "/dev/null" ? "added" : "changed",
      lines: (sign) => {
        const body = text.slice(head.index + head[0].length, heads[index + 1]?.index).split("\n");
        return body.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join("\n");
      },
    };
  });
}
