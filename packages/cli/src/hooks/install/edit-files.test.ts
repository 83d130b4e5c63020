import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { editFiles, missingFolders } from "./edit-files.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with a file. */
function place(text = "old") {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pk-edit-")));
  folders.push(folder);
  const file = join(folder, "settings.json");
  writeFileSync(file, text, "latin1");
  return { folder, file, text: (path = file) => readFileSync(path, "latin1") };
}

const code = (expected: string): unknown => expect.objectContaining({ code: expected });
const modeAt = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8);

describe("editFiles", () => {
  it.each(["600", "640", "644", "664", "755", "4711"])("keeps the mode %s", (mode) => {
    const { file, text } = place();
    chmodSync(file, Number.parseInt(mode, 8));
    editFiles([{ path: file, before: "old", after: "new\xFF" }]);
    expect([modeAt(file), text()]).toEqual([mode, "new\xFF"]);
  });

  it.skipIf(process.getuid?.() !== 0)("keeps the owner and the group", () => {
    const { file } = place();
    chownSync(file, 65_534, 65_533);
    chmodSync(file, 0o640);
    editFiles([{ path: file, before: "old", after: "new" }]);
    const { uid, gid } = statSync(file);
    expect([uid, gid, modeAt(file)]).toEqual([65_534, 65_533, "640"]);
  });

  it("gives a new file its mode, whatever the umask", () => {
    const { folder } = place();
    const path = join(folder, "a/b/new.json");
    expect(missingFolders(path)).toEqual([join(folder, "a"), join(folder, "a/b")]);
    const umask = process.umask(0);
    try {
      editFiles([{ path, before: undefined, after: "new" }]);
    } finally {
      process.umask(umask);
    }
    expect([modeAt(path), modeAt(join(folder, "a"))]).toEqual(["600", "755"]);
  });

  it.each<[string, (folder: string, file: string) => string]>([
    ["a link", (_folder, file) => file],
    ["a relative link", () => "settings.json"],
    [
      "a link to a link",
      (folder, file) => {
        symlinkSync(file, join(folder, "second"));
        return join(folder, "second");
      },
    ],
  ])("changes the file that %s names", (_name, target) => {
    const { folder, file, text } = place();
    const link = join(folder, "link");
    const named = target(folder, file);
    symlinkSync(named, link);
    editFiles([{ path: link, before: "old", after: "new" }]);
    expect([readlinkSync(link), text(file)]).toEqual([named, "new"]);
    editFiles([{ path: link, before: "new", after: undefined }]);
    expect([readlinkSync(link), existsSync(file)]).toEqual([named, false]);
  });

  it("makes the file that a dangling link names, and one in a folder that a dangling link names", () => {
    const { folder, text } = place();
    symlinkSync("later/settings.json", join(folder, "link"));
    symlinkSync("dotfiles/agent", join(folder, "linked"));
    editFiles([
      { path: join(folder, "link"), before: undefined, after: "one" },
      { path: join(folder, "linked/settings.json"), before: undefined, after: "two" },
    ]);
    expect(text(join(folder, "later/settings.json"))).toBe("one");
    expect(text(join(folder, "dotfiles/agent/settings.json"))).toBe("two");
    expect(lstatSync(join(folder, "linked")).isSymbolicLink()).toBe(true);
  });

  it.each<[string, string, (folder: string, file: string) => void]>([
    ["read-only", "UNWRITABLE_SETTINGS", (_folder, file) => chmodSync(file, 0o400)],
    ["named twice", "UNWRITABLE_SETTINGS", (folder, file) => linkSync(file, join(folder, "second"))],
    [
      "a folder",
      "UNREADABLE_SETTINGS",
      (_folder, file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "a circle of links",
      "UNWRITABLE_SETTINGS",
      (_folder, file) => {
        rmSync(file);
        symlinkSync(file, file);
      },
    ],
    ["changed", "SETTINGS_CHANGED", (_folder, file) => writeFileSync(file, "other")],
    ["gone", "SETTINGS_CHANGED", (_folder, file) => rmSync(file)],
  ])("refuses a file that is %s, and changes no other file either", (_name, expected, change) => {
    const { folder, file } = place();
    const first = join(folder, "first");
    change(folder, file);
    const before = readdirSync(folder);
    expect(() =>
      editFiles([
        { path: join(folder, "own"), before: undefined, after: "own", isOwn: true },
        { path: first, before: undefined, after: "new" },
        { path: join(folder, "deep/er/new"), before: undefined, after: "new" },
        { path: file, before: "old", after: "new" },
      ]),
    ).toThrow(code(expected));
    expect(readdirSync(folder)).toEqual(before);
  });

  it("takes the first changes back if a later one cannot take place", () => {
    const { folder, file, text } = place();
    const own = join(folder, "record");
    writeFileSync(own, "earlier");
    chmodSync(own, 0o600);
    chmodSync(file, 0o640);
    const edits = [
      { path: own, before: undefined, after: "later", isOwn: true },
      { path: file, before: "old", after: "new" },
      { path: join(folder, "fresh/file"), before: undefined, after: "new" },
      // As if another program had changed it between the first change and this one.
      { path: file, before: "old", after: "other" },
    ];
    expect(() => editFiles(edits)).toThrow(code("SETTINGS_CHANGED"));
    expect([text(own), text(), modeAt(file), readdirSync(folder).sort()]).toEqual([
      "earlier",
      "old",
      "640",
      ["record", "settings.json"],
    ]);
  });

  it("refuses if the folder cannot be written to, and leaves the file whole", () => {
    const { folder, file, text } = place();
    chmodSync(folder, 0o555);
    const isRoot = process.geteuid?.() === 0;
    // Root may write everywhere.
    if (isRoot) {
      chownSync(file, 65_534, 65_534);
      process.seteuid?.(65_534);
    }
    try {
      expect(() => editFiles([{ path: file, before: "old", after: "new" }])).toThrow(code("UNWRITABLE_SETTINGS"));
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o755);
    }
    expect([text(), readdirSync(folder)]).toEqual(["old", ["settings.json"]]);
  });

  it("refuses if the disk takes no more, and leaves the file whole", () => {
    const { folder, file, text } = place("x".repeat(4000));
    const program = `
      import { editFiles } from ${JSON.stringify(join(import.meta.dirname, "edit-files.ts"))};
      const edit = (path, before, after) => ({ path, before, after });
      try {
        editFiles([
          edit(${JSON.stringify(join(folder, "small"))}, undefined, "y"),
          edit(${JSON.stringify(file)}, "x".repeat(4000), "y".repeat(8000)),
        ]);
      } catch (error) { console.log(error.code, error.message.replace(/".*"/, "FILE")); }`;
    writeFileSync(join(folder, "program.ts"), program);
    // No file of this process may grow over 5 blocks of 512 bytes, or 1024 in some shells.
    const limited = 'trap "" XFSZ; ulimit -f 5; exec "$0" "$@"';
    const { NODE_COMPILE_CACHE: _cache, ...env } = process.env;
    const child = spawnSync("sh", ["-c", limited, process.execPath, join(folder, "program.ts")], {
      env,
      encoding: "utf8",
    });
    expect(child.stdout).toMatch(/^UNWRITABLE_SETTINGS Cannot write FILE — EFBIG: .*Nothing was changed\.\n$/);
    expect([text(), readdirSync(folder).sort()]).toEqual(["x".repeat(4000), ["program.ts", "settings.json"]]);
  });
});
