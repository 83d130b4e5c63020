import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClaudeSession } from "./claude-session.ts";
import { emptyHome, phasekit, phasekitHere } from "./run-cli.ts";

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const isPosix = process.platform !== "win32";
const DAY = 86_400_000;

/** Commands that use the cache. */
const COMMANDS = [["runs", "--json"], ["runs"], ["why"]];

// A home with one session, and its cache, which is restored before each test.
const home = emptyHome();
const cwd = emptyHome();
const cache = join(home, ".cache/phasekit");
const pristine = join(home, "pristine");
const session = createClaudeSession(home, "/srv/app", {
  id: "aaaaaaaa-1111-4111-8111-111111111111",
  clock: () => Date.now() - DAY,
});
session.prompt("Fix the test");
session.edit("/srv/app/a.ts");
session.call("npm test", "Tests: 3 passed");
session.says("Done.");
await answers();
cpSync(cache, pristine, { recursive: true });
const expected = await answers("--no-cache");
const files = {
  summary: join(cache, "logs", readdirSync(join(cache, "logs"))[0] ?? ""),
  heads: join(cache, "log-heads.json"),
};

beforeEach(() => {
  for (const folder of [cache, `${cache}-moved`]) rmSync(folder, { recursive: true, force: true });
  cpSync(pristine, cache, { recursive: true });
});

async function answers(...flags: readonly string[]): Promise<readonly unknown[]> {
  const found = [];
  for (const command of COMMANDS) found.push(await phasekitHere([...command, ...flags], { home, cwd }));
  return found;
}

/** Changes the JSON of a file by a path such as `summary.runs.0.story.state`. */
function put(file: string, path: string, value: unknown): void {
  const content = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const names = path.split(".");
  const last = names.pop() ?? "";
  let at = content;
  for (const name of names) at = at[name] as Record<string, unknown>;
  expect(Object.keys(at), path).toContain(last);
  at[last] = value;
  writeFileSync(file, JSON.stringify(content));
}

const deep = (mb: number): string => "[".repeat(mb * 524_288) + "]".repeat(mb * 524_288);

/** Ways to spoil a file, whatever it holds. */
const damages: readonly (readonly [what: string, spoil: (file: string) => void])[] = [
  ["cut off", (file) => writeFileSync(file, readFileSync(file, "utf8").slice(0, -20))],
  ["empty", (file) => writeFileSync(file, "")],
  ["not JSON", (file) => writeFileSync(file, "\u0000\u0001 garbage")],
  ["null", (file) => writeFileSync(file, "null")],
  ["a list", (file) => writeFileSync(file, "[]")],
  ["nested two million deep", (file) => writeFileSync(file, deep(4))],
  ["too large", (file) => writeFileSync(file, readFileSync(file, "utf8") + " ".repeat(9_000_000))],
  [
    "a folder",
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
  ],
  [
    "a link to a good one",
    (file) => {
      renameSync(file, `${file}.good`);
      symlinkSync(`${file}.good`, file);
    },
  ],
  [
    "a link to a device",
    (file) => {
      rmSync(file);
      symlinkSync("/dev/zero", file);
    },
  ],
  ["writable by every user", (file) => chmodSync(file, 0o666)],
];

/** Values that no summary holds, and that a renderer would stumble over. */
const forgeries: Readonly<Record<string, readonly (readonly [path: string, value: unknown])[]>> = {
  "nothing where something is": [
    ["summary", null],
    ["summary.runs", null],
    ["summary.report.unknown", null],
    ["summary.runs.0.story.work.unknown", null],
    ["summary.runs.0.story.interventions", null],
  ],
  "empty objects": [
    ["summary.runs", [{}]],
    ["summary.report", {}],
    ["summary.runs.0.about", {}],
    ["summary.runs.0.story.phases", {}],
    ["summary.runs.0.story.models", [{ model: "x" }]],
    ["summary.runs.0.story.loops", [{ kind: 1 }]],
  ],
  "values of another type": [
    ["summary.title", 7],
    ["summary.report.unknown", { a: "many" }],
    ["summary.runs.0.about.task", "Fix"],
    ["summary.runs.0.story.startedAt", "yesterday"],
  ],
  "unknown words": [
    ["summary.runs.0.story.state", "splendid"],
    ["summary.runs.0.story.mode", "constructor"],
    ["summary.runs.0.story.reason", "constructor"],
    ["summary.runs.0.story.evidence", { grade: "best", why: "" }],
  ],
  "numbers out of range": [
    ["summary.runs.0.story.endedAt", 1e300],
    ["summary.runs.0.story.phases.0.share", 1e12],
    ["summary.runs.0.story.phases.0.share", -1],
  ],
  "too many runs": [["summary.runs", Array(200_000).fill({})]],
};

const forgedHeads: readonly (readonly [path: string, value: unknown])[] = [
  ["shape", 2],
  ["heads", null],
  ["heads", [null]],
  ["heads.0", ["path", null]],
  ["heads.0.1", [1, 2, null]],
  ["heads.0.1.2", { at: "x" }],
  ["heads.0.1.2", { at: 1e300 }],
  ["heads.0.1.2", { folder: {} }],
];

const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Replaces a file by a pipe that another process writes the same content into. */
function pipeInto(file: string): void {
  renameSync(file, `${file}.good`);
  execFileSync("sh", ["-c", 'mkfifo "$0"', file]);
  children.push(spawn("sh", ["-c", 'cat "$0.good" > "$0"', file], { stdio: "ignore" }));
}

/** Puts an answer into a file that would be seen if it were used. */
function forge(kind: keyof typeof files): void {
  if (kind === "summary") put(files.summary, "summary.title", "Forged");
  else put(files.heads, "heads.0.1.2", { at: 1 });
}

describe("a file of the cache that is not as we wrote it counts as missing", () => {
  it("and one that is as we wrote it is used", async () => {
    forge("summary");
    expect(await answers()).not.toEqual(expected);
    forge("heads");
    expect(await answers()).not.toEqual(expected);
  });

  describe.each(["summary", "heads"] as const)("the %s of a log", (kind) => {
    it.each(damages)("%s", async (_what, spoil) => {
      forge(kind);
      spoil(files[kind]);
      expect(await answers()).toEqual(expected);
    });

    it.runIf(isPosix)("a pipe", async () => {
      forge(kind);
      pipeInto(files[kind]);
      expect(await answers()).toEqual(expected);
    });

    it.runIf(isPosix)("a socket", async () => {
      rmSync(files[kind]);
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(files[kind], resolve));
      expect(await answers()).toEqual(expected);
      server.close();
    });

    it.runIf(isRoot)("of another user", async () => {
      forge(kind);
      chownSync(files[kind], NOBODY, NOBODY);
      expect(await answers()).toEqual(expected);
    });
  });

  it.each(Object.keys(forgeries))("a summary with %s", async (what) => {
    const good = readFileSync(files.summary);
    for (const [path, value] of forgeries[what] ?? []) {
      writeFileSync(files.summary, good);
      put(files.summary, path, value);
      expect(await answers(), path).toEqual(expected);
    }
  });

  it("a list of times with other content", async () => {
    const good = readFileSync(files.heads);
    for (const [path, value] of forgedHeads) {
      writeFileSync(files.heads, good);
      put(files.heads, path, value);
      expect(await answers(), path).toEqual(expected);
    }
  });
});

describe.runIf(isPosix)("the cache folder", () => {
  it.each(["000", "022", "777"])("is created with mode 0700 under umask %s", async (umask) => {
    rmSync(join(home, ".cache"), { recursive: true });
    const before = process.umask(umask);
    try {
      expect(await answers()).toEqual(expected);
    } finally {
      process.umask(before);
    }
    for (const folder of [".cache", ".cache/phasekit", ".cache/phasekit/logs"])
      expect(statSync(join(home, folder)).mode & 0o777, folder).toBe(0o700);
  });

  const spoilers: Readonly<Record<string, (folder: string) => void>> = {
    "every user can write to it": (folder) => {
      chmodSync(folder, 0o777);
    },
    "it is a link": (folder) => {
      renameSync(folder, `${cache}-moved`);
      symlinkSync(`${cache}-moved`, folder);
    },
    ...(isRoot && {
      "it is owned by another user": (folder: string) => {
        chownSync(folder, NOBODY, NOBODY);
      },
    }),
  };

  it.each(Object.keys(spoilers).flatMap((why) => ["", "/logs"].map((name) => [why, name] as const)))(
    "is neither read nor written if %s (phasekit%s), and doctor says so",
    async (why, name) => {
      forge("summary");
      spoilers[why]?.(`${cache}${name}`);
      expect(await answers()).toEqual(expected);
      expect(readFileSync(files.summary, "utf8")).toContain("Forged");
      const { out } = await phasekitHere(["doctor"], { home });
      expect(out.replace(/\s+/g, " ")).toContain(`note Cache not used: ${cache}${name}: ${why}`);
    },
  );

  it("is not mentioned by doctor if all is well", async () => {
    expect((await phasekitHere(["doctor"], { home })).out).not.toContain("Cache");
  });
});

describe("the built program", () => {
  it("keeps no compiled code, and leaves a folder of it alone", async () => {
    const home = emptyHome();
    mkdirSync(join(home, ".cache/phasekit/compiled"), { recursive: true });
    for (const args of [["--version"], ["explain", "done"], ["doctor"]])
      expect((await phasekit(args, { home })).code).toBe(0);
    expect(readdirSync(join(home, ".cache/phasekit/compiled"))).toEqual([]);
    expect(existsSync(join(home, ".cache/phasekit/compiled"))).toBe(true);
  });
});
