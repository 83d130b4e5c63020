const MAX_PATCH = 65_536;

/** One file of a patch, with the lines it takes away and adds. */
export interface PatchedFile {
  readonly path: string;
  readonly how: "added" | "changed" | "deleted";
  readonly removed: string;
  readonly added: string;
}

/** The files of a patch, in the format of Codex or as a unified diff. */
export function patchFiles(patch: string): readonly PatchedFile[] {
  const text = patch.slice(0, MAX_PATCH);
  const heads = [...text.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$|^--- (\S+).*\n\+\+\+ (\S+).*$/gm)];
  return heads.map((head, index) => {
    const body = text.slice(head.index + head[0].length, heads[index + 1]?.index).split("\n");
    const [, verb, file, before = "", after = ""] = head;
    const lines = (sign: string): string => body.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : [])).join("\n");
    const gone = verb === "Delete" || after === "/dev/null";
    return {
      path: (file ?? (gone ? before : after)).replace(/^[ab]\//, "").trim(),
      how: gone ? "deleted" : verb === "Add" || before === "/dev/null" ? "added" : "changed",
      removed: lines("-"),
      added: lines("+"),
    };
  });
}
