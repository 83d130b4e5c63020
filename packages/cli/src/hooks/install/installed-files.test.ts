import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AgentName, agentNames, hookAgents } from "@phasekit/hooks";
import { afterEach, describe, expect, it } from "vitest";
import { main } from "../../main.ts";
import { createTerminal } from "../../terminal.ts";
import { applyInstall, type LocalInstallOptions, planInstall, uninstall } from "./apply-install.ts";
import { diagnose } from "./diagnose.ts";
import { handlersIn, runsWhat } from "./hook-entries.ts";
import { parseJsonBytes } from "./json-text.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

interface Machine {
  readonly home: string;
  readonly root: string;
  /** The settings of Claude Code. */
  readonly path: string;
  readonly install: (options?: LocalInstallOptions, agent?: AgentName) => Promise<void>;
  readonly uninstall: (options?: LocalInstallOptions, agent?: AgentName) => Promise<unknown>;
  readonly read: (path?: string) => string;
  readonly write: (bytes: string, path?: string) => void;
  /** Changes the settings as a user does. */
  readonly edit: (from: string, to: string) => void;
}

/** A machine whose home has a name of our choice. */
function machine({
  name = "home",
  root = ".phasekit",
}: { readonly name?: string; readonly root?: string } = {}): Machine {
  const folder = mkdtempSync(join(tmpdir(), "pk-files-"));
  folders.push(folder);
  const home = join(folder, name);
  const cwd = join(folder, "project");
  const path = join(home, ".claude/settings.json");
  for (const made of [dirname(path), cwd]) mkdirSync(made, { recursive: true });
  const place = { home, cwd, root: join(home, root) };
  const read = (file = path): string => readFileSync(file, "latin1");
  const write = (bytes: string, file = path): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, "latin1");
  };
  return {
    home,
    root: place.root,
    path,
    read,
    write,
    edit: (from, to) => {
      expect(read()).toContain(from);
      write(read().replace(from, to));
    },
    install: async (options, agent = "claude-code") => await applyInstall(planInstall(agent, { ...place, ...options })),
    uninstall: async (options, agent = "claude-code") => await uninstall(agent, { ...place, ...options }),
  };
}

const EVENTS = Object.keys(hookAgents["claude-code"].events);

/** The command lines that the hooks of settings run. */
function runs(bytes: string): readonly (string | undefined)[] {
  return handlersIn(parseJsonBytes(bytes)).map(({ value }) => runsWhat(value));
}

const ours = (bytes: string): number => runs(bytes).filter((line) => line?.endsWith(" claude-code") === true).length;
const refusal = (code: string): unknown => expect.objectContaining({ code });
const modeAt = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const wide = (text: string, order: "le" | "be"): string => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return (order === "le" ? bytes : bytes.swap16()).toString("latin1");
};

const names = (count: number): string => Array.from({ length: count }, (_, index) => `,"k${String(index)}":0`).join("");

const PLAIN = '{\n  "model": "x",\n  "permissions": {\n    "allow": ["a"]\n  }\n}\n';

describe("settings keep every byte that is not ours", () => {
  // The user's edit after the installation is the model's name; files without it are only restored unedited.
  const files: Readonly<Record<string, string>> = {
    plain: PLAIN,
    tabs: PLAIN.replaceAll("  ", "\t"),
    "four spaces": PLAIN.replaceAll("  ", "    "),
    CRLF: PLAIN.replaceAll("\n", "\r\n"),
    "a byte order mark": `\xEF\xBB\xBF${PLAIN}`,
    "no final newline": PLAIN.trimEnd(),
    minified: '{"model":"x","a":[1,2]}',
    empty: "",
    "white space": " \n\t\n",
    "an empty object": "{}",
    "an empty object with spaces": "{ \n\n }\n",
    "empty hooks": '{"model":"z","hooks":{ }}\n',
    "hooks of others":
      '{"model":"x",\n "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}], "Mine": 7}}',
    "an empty list of hooks": '{\n  "model":"z",\n  "hooks": { "Stop": [ ], "PreToolUse": [\n  ] }\n}',
    "duplicate names": '{"model":"y","hooks":"old","model":"x","hooks":{"Stop":[],"Stop":[{"command":"b"}]}}',
    "escaped names": String.raw`{"m\u006fdel":"x","hoo\u006bs":{"St\u006fp":[{"hooks":[]}]}}`,
    "numbers of any size": '{"model":"x","a":123456789012345678901234567890,"b":1e999,"c":-0}',
    __proto__: '{"__proto__":{"x":1},"constructor":2,"model":"x"}',
    "lone surrogates": String.raw`{"model":"x","a":"\ud800","\udfff":1}`,
    "bytes that are not UTF-8": '{"model":"x","caf\xE9":"\xFF\xFE\x80"}',
    "100,000 names": `{"model":"x"${names(100_000)}}`,
    "20 MB": `{"model":"x","a":"${"é".repeat(10_000_000)}"}`,
    "5,000 levels": `{"model":"x","a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
  };

  it.each(Object.keys(files))("%s", async (name) => {
    const before = files[name] ?? "";
    const { path, read, write, edit, install, uninstall: remove } = machine();
    write(before);
    await install();
    const installed = read();
    expect([ours(installed), runs(installed).length - runs(before).length]).toEqual([EVENTS.length, EVENTS.length]);
    if (before.length < 100_000) {
      await install({ mode: "gate" });
      expect(read()).toBe(installed);
      await remove();
      expect(read()).toBe(before);
      if (!before.includes('"x"')) return;
      await install();
    }
    edit('"x"', '"another"');
    await remove();
    // Not `toBe`: its message would print 20 MB.
    expect(read() === before.replace('"x"', '"another"')).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(["settings.json"]);
  });

  it("also in files that were not there", async () => {
    const { path, home, install, uninstall: remove } = machine();
    rmSync(dirname(path), { recursive: true });
    await install();
    expect(modeAt(path)).toBe("600");
    await remove();
    expect(readdirSync(home)).toEqual([]);
  });
});

describe("a file that cannot be edited is refused, and nothing is changed", () => {
  const files: Readonly<Record<string, readonly [code: string, bytes: string]>> = {
    "a comment": ["UNREADABLE_SETTINGS", '{ // mine\n "a": 1 }'],
    "a trailing comma": ["UNREADABLE_SETTINGS", '{"a":1,}'],
    "UTF-16, little endian": ["UNREADABLE_SETTINGS", wide('{"a":1}', "le")],
    "UTF-16, big endian": ["UNREADABLE_SETTINGS", wide('{"a":1}', "be")],
    "a truncated file": ["UNREADABLE_SETTINGS", '{"a": {"b":'],
    "two values": ["UNREADABLE_SETTINGS", "{} {}"],
    "a list": ["UNREADABLE_SETTINGS", "[]"],
    "a text": ["UNREADABLE_SETTINGS", '"mine"'],
    null: ["UNREADABLE_SETTINGS", "null"],
    "a NUL byte": ["UNREADABLE_SETTINGS", '{"a":1}\0'],
    "hooks that are a text": ["UNEXPECTED_SETTINGS", '{"hooks":"mine"}'],
    "hooks that are a list": ["UNEXPECTED_SETTINGS", '{"hooks":[{"command":"mine"}]}'],
    "hooks that are null": ["UNEXPECTED_SETTINGS", '{"hooks":null}'],
    "an event that is a text": ["UNEXPECTED_SETTINGS", '{"hooks":{"Stop":"mine"}}'],
    "an event that is an object": ["UNEXPECTED_SETTINGS", '{"hooks":{"Stop":[],"PreToolUse":{"command":"mine"}}}'],
  };

  it.each(Object.keys(files))("%s", async (name) => {
    const [code, bytes] = files[name] ?? ["", ""];
    const { path, root, read, write, install } = machine();
    write(bytes);
    await expect(install()).rejects.toEqual(refusal(code));
    expect([read(), existsSync(root), readdirSync(dirname(path))]).toEqual([bytes, false, ["settings.json"]]);
  });

  it.each<[string, string, (path: string) => void]>([
    ["a folder", "UNREADABLE_SETTINGS", (path) => mkdirSync(path)],
    ["a pipe", "UNREADABLE_SETTINGS", (path) => execFileSync("mkfifo", [path])],
    ["a circle of links", "UNREADABLE_SETTINGS", (path) => symlinkSync(path, path)],
    [
      "a file of 70 MB",
      "UNREADABLE_SETTINGS",
      (path) => {
        writeFileSync(path, "");
        truncateSync(path, 70_000_000);
      },
    ],
    [
      "a read-only file",
      "UNWRITABLE_SETTINGS",
      (path) => {
        writeFileSync(path, "{}");
        chmodSync(path, 0o400);
      },
    ],
  ])("%s", async (_name, code, make) => {
    const { path, root, install } = machine();
    make(path);
    const before = lstatSync(path);
    await expect(install()).rejects.toEqual(refusal(code));
    expect([existsSync(root), readdirSync(dirname(path))]).toEqual([false, ["settings.json"]]);
    const { ino, mode, size, mtimeMs } = lstatSync(path);
    expect({ ino, mode, size, mtimeMs }).toEqual({
      ino: before.ino,
      mode: before.mode,
      size: before.size,
      mtimeMs: before.mtimeMs,
    });
  });

  it("says what is wrong, and what to do", () => {
    const { path, write, home, root } = machine();
    const messages = ['{"hooks":"mine"}', '{"hooks":{"Stop":"mine"}}', "[]"].map((bytes) => {
      write(bytes);
      try {
        planInstall("claude-code", { home, root });
        return [];
      } catch (error) {
        const { message, hint } = error as Error & { readonly hint: string };
        return [message, hint].map((text) => text.replaceAll(path, "FILE"));
      }
    });
    expect(messages).toMatchInlineSnapshot(`
      [
        [
          ""hooks" in "FILE" is not an object. Nothing was changed.",
          "Correct or remove "hooks" in the file, then run the command again.",
        ],
        [
          ""hooks.Stop" in "FILE" is not a list. Nothing was changed.",
          "Correct or remove "hooks.Stop" in the file, then run the command again.",
        ],
        [
          ""FILE" cannot be read as JSON: it is not an object. Nothing was changed.",
          "Take comments and trailing commas out of the file, then run the command again.",
        ],
      ]
    `);
  });
});

describe("a settings file keeps its mode", () => {
  it.each(["600", "640", "644", "660"])("%s, and so has its backup", async (mode) => {
    const { path, root, write, edit, install, uninstall: remove } = machine();
    write(PLAIN);
    chmodSync(path, Number.parseInt(mode, 8));
    const umask = process.umask(0);
    try {
      await install();
      const backup = readdirSync(join(root, "installs")).find((name) => name.endsWith(".backup")) ?? "";
      expect([modeAt(path), modeAt(join(root, "installs", backup))]).toEqual([mode, mode]);
      await remove();
      expect(modeAt(path)).toBe(mode);
      await install();
      edit('"x"', '"y"');
      await remove();
      expect(modeAt(path)).toBe(mode);
    } finally {
      process.umask(umask);
    }
  });
});

describe("links stay, and the file they name is changed", () => {
  it.each<[string, string, (path: string, real: string) => void]>([
    ["a link", PLAIN, (path, real) => symlinkSync(real, path)],
    ["a relative link", PLAIN, (path) => symlinkSync("../dotfiles/settings.json", path)],
    [
      "a linked folder",
      PLAIN,
      (path) => {
        rmSync(dirname(path), { recursive: true });
        symlinkSync("dotfiles", dirname(path));
      },
    ],
  ])("%s", async (_name, bytes, link) => {
    const { path, home, read, write, edit, install, uninstall: remove } = machine();
    const real = join(home, "dotfiles/settings.json");
    write(bytes, real);
    chmodSync(real, 0o600);
    link(path, real);
    const named = [path, dirname(path)].map((one) => (lstatSync(one).isSymbolicLink() ? readlinkSync(one) : ""));
    await install();
    expect(ours(read(real))).toBe(EVENTS.length);
    await remove();
    expect(read(real)).toBe(bytes);
    await install();
    edit('"x"', '"y"');
    await remove();
    expect([read(real), modeAt(real)]).toEqual([bytes.replace('"x"', '"y"'), "600"]);
    expect([path, dirname(path)].map((one) => (lstatSync(one).isSymbolicLink() ? readlinkSync(one) : ""))).toEqual(
      named,
    );
  });

  it("a dangling link", async () => {
    const { path, home, read, install, uninstall: remove } = machine();
    symlinkSync("../dotfiles/settings.json", path);
    await install();
    expect(ours(read(join(home, "dotfiles/settings.json")))).toBe(EVENTS.length);
    await remove();
    expect([readlinkSync(path), existsSync(join(home, "dotfiles"))]).toEqual(["../dotfiles/settings.json", false]);
  });
});

/** Runs the command line as a person would; each answer may first do something else. */
async function person(
  args: readonly string[],
  { home, answers = [] }: { readonly home: string; readonly answers?: readonly (() => boolean)[] },
): Promise<{ readonly code: number; readonly out: string; readonly asked: number }> {
  let out = "";
  let asked = 0;
  const env = { HOME: home, COLUMNS: "200" };
  const stdout = { write: (text: string) => (out += text) };
  const terminal = createTerminal({ stdout, stderr: stdout, env, isAgent: false });
  const ask = (): Promise<boolean> => Promise.resolve(answers[asked++]?.() ?? false);
  const around = { env, cwd: home, now: Date.now, signal: new AbortController().signal, version: "0.0.0" };
  const code = await main(args, { ...around, terminal: { ...terminal, ask } });
  return { code, out, asked };
}

describe("a file that changes after it was read", () => {
  it("while the question is on the screen, is shown and asked about again", async () => {
    const { home, read, write, edit } = machine();
    write(PLAIN);
    const allow = (): boolean => {
      edit('["a"]', '["a", "b"]');
      return true;
    };
    const installed = await person(["init", "claude-code"], { home, answers: [allow, () => true] });
    expect([installed.code, installed.asked]).toEqual([0, 2]);
    expect(installed.out).toContain('settings.json" was changed meanwhile. Nothing was written. The changes are now:');
    expect([ours(read()), read().includes('["a", "b"]')]).toEqual([EVENTS.length, true]);
    const grant = (): boolean => {
      edit('"b"]', '"b", "c"]');
      return true;
    };
    const removed = await person(["init", "claude-code", "--uninstall"], { home, answers: [grant, () => true] });
    expect([removed.code, removed.asked]).toEqual([0, 2]);
    expect(read()).toBe(PLAIN.replace('["a"]', '["a", "b", "c"]'));
  });

  it("while the question is on the screen, is left alone if the second answer is no", async () => {
    const { home, read, write, edit } = machine();
    write(PLAIN);
    const allow = (): boolean => {
      edit('["a"]', "[]");
      return true;
    };
    const { asked } = await person(["init", "claude-code"], { home, answers: [allow, () => false] });
    expect([asked, read()]).toEqual([2, PLAIN.replace('["a"]', "[]")]);
  });

  it("is refused by the functions that carry out a plan", async () => {
    const { home, root, read, write } = machine();
    write(PLAIN);
    const plan = planInstall("claude-code", { home, root });
    write("{}");
    await expect(applyInstall(plan)).rejects.toEqual(refusal("SETTINGS_CHANGED"));
    expect(read()).toBe("{}");
  });
});

describe("installations in parallel", () => {
  it("of all agents lose nothing", async () => {
    const { home, root } = machine();
    const modes = ["observe", "nudge", "gate"];
    const wanted = Object.fromEntries(agentNames.map((agent, index) => [agent, modes[index % 3] ?? ""]));
    const codes = await Promise.all(
      agentNames.map(
        async (agent) => (await person(["init", agent, "--mode", wanted[agent] ?? "", "--yes"], { home })).code,
      ),
    );
    expect(codes).toEqual(agentNames.map(() => 0));
    expect(parseJsonBytes(readFileSync(join(root, "hooks.json"), "latin1"))).toMatchObject({ modes: wanted });
    await Promise.all(agentNames.map(async (agent) => await person(["init", agent, "--uninstall", "--yes"], { home })));
    expect(existsSync(root)).toBe(false);
  });

  it("of one agent add its hooks once", async () => {
    const { home, read, write } = machine();
    write(PLAIN);
    const three = [1, 2, 3].map(async () => await person(["init", "claude-code", "--yes"], { home }));
    expect((await Promise.all(three)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(runs(read())).toHaveLength(EVENTS.length);
    await person(["init", "claude-code", "--uninstall", "--yes"], { home });
    expect(read()).toBe(PLAIN);
  });

  it("are not held up by one that was killed", async () => {
    const { root, read, install } = machine();
    mkdirSync(root, { mode: 0o700 });
    writeFileSync(join(root, "install.lock"), '{"pid":');
    await install();
    expect([ours(read()), existsSync(join(root, "install.lock"))]).toEqual([EVENTS.length, false]);
  });
});

describe("an uninstall removes what was recorded, and nothing that resembles it", () => {
  const mine = { type: "command", command: "mine" };

  it("leaves the user's hook in our group, also a second installation does", async () => {
    const { read, write, install, uninstall: remove } = machine();
    await install();
    const settings = parseJsonBytes(read()) as { hooks: Record<string, { hooks: object[] }[]> };
    settings.hooks["Stop"]?.[0]?.hooks.push(mine);
    settings.hooks["PreToolUse"]?.[0]?.hooks.unshift(mine);
    write(JSON.stringify(settings, null, 2));
    await install({ mode: "gate" });
    expect(runs(read())).toHaveLength(EVENTS.length + 2);
    await install({ node: "/elsewhere/node" });
    expect(runs(read())).toHaveLength(EVENTS.length + 2);
    await remove();
    expect(parseJsonBytes(read())).toEqual({ hooks: { PreToolUse: [{ hooks: [mine] }], Stop: [{ hooks: [mine] }] } });
  });

  it.each([
    "/home/me/phasekit-fork/scripts/hook.cjs",
    "/home/me/phasekit/bin/hook.cjs claude-code",
    '"/usr/bin/node" "/home/me/.phasekit/bin/hook.cjs" claude-code',
    'echo "/home/u/.phasekit/bin/hook.cjs"',
    "curl http://127.0.0.1:4000/phasekit/claude-code",
  ])("leaves %j", async (command) => {
    const { read, write, edit, install, uninstall: remove } = machine();
    const hooks = JSON.stringify({ Stop: [{ hooks: [{ type: "command", command }] }] });
    const before = `{"model":"x","hooks":${hooks}}`;
    write(before);
    await install();
    edit('"x"', '"y"');
    await remove();
    expect(read()).toBe(before.replace('"x"', '"y"'));
  });

  it.each(["tools", "my phasekit", "a$b", ".config/x/y", "pk/"])("works with PHASEKIT_HOME %j", async (root) => {
    const { read, write, edit, install, uninstall: remove } = machine({ root });
    write(PLAIN);
    await install();
    await install({ mode: "gate" });
    expect(runs(read())).toHaveLength(EVENTS.length);
    edit('"x"', '"y"');
    await remove();
    expect(read()).toBe(PLAIN.replace('"x"', '"y"'));
  });

  it("says so if the Phasekit of another folder has hooks in the same file", async () => {
    const { home, read, install, uninstall: remove } = machine();
    await install();
    await install({ root: join(home, "second") });
    expect(runs(read())).toHaveLength(2 * EVENTS.length);
    const { notes } = planInstall("claude-code", { home, root: join(home, "second") });
    expect(notes.map((note) => note.replaceAll(home, "HOME"))).toEqual([
      'The Phasekit of "HOME/.phasekit" has hooks in the same file; to remove them: ' +
        'PHASEKIT_HOME="HOME/.phasekit" phasekit init claude-code --uninstall',
    ]);
    await remove();
    expect(runs(read())).toHaveLength(EVENTS.length);
    await remove({ root: join(home, "second") });
  });

  it("removes what is recorded, also if the settings are gone", async () => {
    const { home, path, root, install } = machine();
    await install();
    rmSync(path);
    const { out } = await person(["init", "claude-code", "--uninstall", "--yes"], { home });
    expect([out, existsSync(root)]).toEqual([
      "Removed Phasekit from Claude Code. Recorded runs are still in ~/.phasekit/runs.\n",
      false,
    ]);
  });
});

describe("hooks of earlier versions", () => {
  /** A record as earlier versions wrote it. */
  function earlier({ path, root }: Machine, before: string | null, after: string): void {
    const name = createHash("sha256").update(path).digest("hex").slice(0, 16);
    mkdirSync(join(root, "installs"), { recursive: true, mode: 0o700 });
    chmodSync(root, 0o700);
    const record = { agent: "claude-code", scope: "user", target: path, before, after };
    writeFileSync(join(root, "installs", `${name}.json`), JSON.stringify(record));
    writeFileSync(path, after);
  }

  const http = {
    type: "http",
    url: "http://127.0.0.1:4123/phasekit/claude-code",
    headers: { Authorization: "Bearer s" },
  };
  const mine = { type: "command", command: "mine" };
  const print = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;
  /** Settings as an earlier version left them: hooks of a port, of the command, and for an event of old. */
  function settings({ root }: Machine, command = `"/usr/bin/node" "${root}/bin/hook.cjs" claude-code`): string {
    const ours = { type: "command", command, timeout: 5 };
    return print({
      model: "x",
      hooks: {
        Stop: [{ hooks: [mine] }, { hooks: [http] }],
        SessionStart: [{ hooks: [ours] }],
        Forgotten: [{ hooks: [http] }],
      },
    });
  }
  const before = print({ model: "x", hooks: { Stop: [{ hooks: [mine] }] } });

  it.each(["with their record", "without a record"])("are replaced in their place, %s", async (how) => {
    const place = machine();
    const { read, write, edit, install, uninstall: remove } = place;
    if (how === "with their record") earlier(place, before, settings(place));
    else write(settings(place));
    await install();
    expect(read()).not.toMatch(/http:|Bearer|Forgotten/);
    expect([ours(read()), runs(read())[0]]).toEqual([EVENTS.length, "mine"]);
    edit('"x"', '"y"');
    await remove();
    expect(read()).toBe(before.replace('"x"', '"y"'));
  });

  it("are removed: byte for byte if they did not change since, else one by one", async () => {
    const place = machine();
    const { read, edit, uninstall: remove } = place;
    earlier(place, before, settings(place));
    await remove();
    expect(read()).toBe(before);
    earlier(place, before, settings(place));
    edit('"x"', '"y"');
    await remove();
    expect(read()).toBe(before.replace('"x"', '"y"'));
  });

  it("are recognized by their record if the command line is broken", async () => {
    const place = machine({ root: 'a"b' });
    const { read, edit, uninstall: remove } = place;
    earlier(place, before, settings(place));
    edit('"x"', '"y"');
    await remove();
    expect(read()).toBe(before.replace('"x"', '"y"'));
  });

  it("are not restored with a text that holds them itself", async () => {
    const place = machine();
    const { read, uninstall: remove } = place;
    earlier(place, settings(place), settings(place).replace("4123", "4124"));
    await remove();
    expect(read()).toBe(before);
  });
});

describe("the file that opencode or Pi loads", () => {
  it.each(["opencode", "pi"] as const)("of %s is not replaced or removed if it is the user's", async (agent) => {
    const { home, root, install, uninstall: remove, read, write } = machine();
    const { target } = planInstall(agent, { home, root });
    write("// mine", target);
    await expect(install({}, agent)).rejects.toEqual(refusal("FOREIGN_FILE"));
    await remove({}, agent);
    expect(read(target)).toBe("// mine");
    expect((await diagnose(agent, { home, root, env: {} })).isInstalled).toBe(false);
    rmSync(target);
    await install({}, agent);
    const module = read(target);
    write(`${module}// mine\n`, target);
    await expect(install({}, agent)).rejects.toEqual(refusal("FOREIGN_FILE"));
    await expect(remove({}, agent)).rejects.toEqual(refusal("FOREIGN_FILE"));
    write(module, target);
    await remove({}, agent);
    expect(existsSync(target)).toBe(false);
  });
});

describe("an installed command line runs our program, and nothing else", () => {
  const homes = [
    "plain",
    "with space",
    "$(touch pwned)",
    "`touch pwned`",
    'double "quote"',
    "single 'quote'",
    "back\\slash",
    "semi; touch pwned #",
    "percent %HOME% %",
    "new\nline",
    "日本 é",
    "bang!",
    "-dash",
  ];
  const shells: Readonly<Partial<Record<AgentName, string>>> = {
    "claude-code": "command",
    codex: "command",
    "gemini-cli": "command",
    "copilot-cli": "bash",
    cursor: "command",
  };

  it.each(homes)("in a home named %j", async (name) => {
    const { home, root, install, uninstall: remove, read } = machine({ name });
    const node = join(home, "node");
    writeFileSync(node, '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done; printf "\\001\\n"\n', {
      mode: 0o755,
    });
    for (const [agent, member] of Object.entries(shells) as [AgentName, string][]) {
      await install({ node, statusLine: true }, agent);
      const { target } = planInstall(agent, { home, root });
      const settings = parseJsonBytes(read(target)) as Readonly<Record<string, unknown>>;
      const lines = [...handlersIn(settings).map(({ value }) => value), settings["statusLine"]].flatMap(
        (handler) => (handler as Readonly<Record<string, string>> | undefined)?.[member] ?? [],
      );
      const output = execFileSync("sh", ["-c", lines.join("\n")], { cwd: home, encoding: "utf8" });
      const started = output
        .split("\x01\n")
        .slice(0, -1)
        .map((words) => words.split("\0").slice(0, 2));
      expect(started).toEqual(
        lines.map((line) => [join(root, "bin/hook.cjs"), line.endsWith(" statusline") ? "statusline" : agent]),
      );
      expect(existsSync(join(home, "pwned"))).toBe(false);
      // Recognized without the record.
      rmSync(join(root, "installs"), { recursive: true });
      mkdirSync(join(root, "installs"));
      await remove({}, agent);
      expect(handlersIn(parseJsonBytes(existsSync(target) ? read(target) : ""))).toEqual([]);
    }
  });
});

describe("Codex's config.toml", () => {
  const block = '# phasekit: begin\n[mcp_servers.mine]\ncommand = "mine"\n# phasekit: end\n';
  const config = ({ home }: Machine): string => join(home, ".codex/config.toml");

  it.each(["command", "mcp"] as const)(
    "keeps a block of the user's between our marks, transport %s",
    async (transport) => {
      const place = machine();
      const { read, write, install, uninstall: remove } = place;
      const bytes = `model = "\xFF\xFE"\r\n${block}x = 1`;
      write(bytes, config(place));
      chmodSync(config(place), 0o600);
      await install({ transport }, "codex");
      expect(read(config(place)).includes("[mcp_servers.phasekit]")).toBe(transport === "mcp");
      expect(read(config(place)).startsWith(bytes)).toBe(true);
      await install({ transport }, "codex");
      write(`${read(config(place))}\n[more]\n`, config(place));
      await remove({}, "codex");
      expect([read(config(place)), modeAt(config(place))]).toEqual([`${bytes}\n[more]\n`, "600"]);
    },
  );

  it.each([undefined, "", 'model = "m"\n', 'model = "m"', "a = 1\r\n"])(
    "is %j again after an uninstall",
    async (bytes) => {
      const place = machine();
      const { read, write, install, uninstall: remove } = place;
      if (bytes !== undefined) write(bytes, config(place));
      await install({ transport: "mcp" }, "codex");
      const installed = read(config(place));
      expect(installed).toContain("[mcp_servers.phasekit]");
      await install({ transport: "mcp", mode: "gate" }, "codex");
      expect(read(config(place))).toBe(installed);
      await install({ transport: "command" }, "codex");
      expect(existsSync(config(place)) ? read(config(place)) : undefined).toBe(bytes);
      await install({ transport: "mcp" }, "codex");
      await remove({}, "codex");
      expect(existsSync(config(place)) ? read(config(place)) : undefined).toBe(bytes);
    },
  );

  it("with a server of the user's that has our name is refused", async () => {
    const place = machine();
    const { read, write, install } = place;
    const bytes = '[ mcp_servers . "phasekit" ]\ncommand = "mine"\n';
    write(bytes, config(place));
    await expect(install({ transport: "mcp" }, "codex")).rejects.toEqual(refusal("UNEXPECTED_SETTINGS"));
    expect(read(config(place))).toBe(bytes);
    await install({ transport: "command" }, "codex");
    expect(read(config(place))).toBe(bytes);
  });

  it("keeps our block if the user changed it", async () => {
    const place = machine();
    const { read, write, install, uninstall: remove } = place;
    await install({ transport: "mcp" }, "codex");
    const changed = read(config(place)).replace("# phasekit: end", "startup_timeout_sec = 20\n# phasekit: end");
    write(changed, config(place));
    await remove({}, "codex");
    expect(read(config(place))).toBe(changed);
  });

  it("loses the block of an earlier version, wherever it is", async () => {
    const place = machine();
    const { root, read, write, install } = place;
    const args = JSON.stringify([`${root}/bin/hook.cjs`, "mcp", "codex"]);
    const server = `[mcp_servers.phasekit]\ncommand = "/usr/bin/node"\nargs = ${args}\n`;
    const old = `\n# phasekit: begin\n${server}# phasekit: end\n`;
    write(`a = 1\n${old}[more]\n`, config(place));
    await install({}, "codex");
    expect(read(config(place))).toBe("a = 1\n[more]\n");
  });
});

describe("Phasekit's own configuration", () => {
  it("is edited, and not replaced if it cannot be read", async () => {
    const { root, read, write, install } = machine();
    await install();
    const config = join(root, "hooks.json");
    write(read(config).replace("{", '{ "mine" : [1,  2],'), config);
    await install({ mode: "gate" });
    expect(read(config)).toContain('{ "mine" : [1,  2],');
    write("{ // mine\n}", config);
    await expect(install()).rejects.toEqual(refusal("UNREADABLE_SETTINGS"));
    expect(read(config)).toBe("{ // mine\n}");
    write('{"modes":"mine"}', config);
    await expect(install()).rejects.toEqual(refusal("UNEXPECTED_SETTINGS"));
  });
});
