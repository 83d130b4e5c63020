import { appendFileSync, chmodSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { emptyHome, phasekitHere } from "./run-cli.ts";

const HOUR = 3_600_000;

/** Writes a session of Claude Code in a project, last written some hours ago. */
function writeSession(
  home: string,
  folder: string,
  { id, hoursAgo }: { readonly id: string; readonly hoursAgo: number },
) {
  const at = new Date(Date.now() - hoursAgo * HOUR);
  const records = [
    { type: "user", message: { role: "user", content: `Work in ${folder}` } },
    {
      type: "assistant",
      message: {
        id: "m1",
        role: "assistant",
        content: [{ type: "text", text: "Done." }],
        stop_reason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 5 },
      },
    },
  ].map((record, index) =>
    JSON.stringify({
      ...record,
      cwd: folder,
      sessionId: id,
      uuid: `${id}-${String(index)}`,
      timestamp: at.toISOString(),
    }),
  );
  const path = join(home, ".claude/projects", folder.replaceAll("/", "-"), `${id}.jsonl`);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, `${records.join("\n")}\n`);
  utimesSync(path, at, at);
}

/** A home with a session in each of two projects; the one of the other project is newer. */
function twoProjects(): { readonly home: string; readonly here: string } {
  const home = emptyHome();
  const here = emptyHome();
  writeSession(home, here, { id: "aaaaaaaa-1111-4111-8111-111111111111", hoursAgo: 30 });
  writeSession(home, "/srv/other", { id: "bbbbbbbb-2222-4222-8222-222222222222", hoursAgo: 1 });
  return { home, here };
}

describe("which run a command means", () => {
  it("why prefers the current project", async () => {
    const { home, here } = twoProjects();
    const { out } = await phasekitHere(["why"], { home, cwd: here });
    expect(out).toContain("Newest of this project:");
    expect(JSON.parse((await phasekitHere(["why", "--json"], { home, cwd: here })).out)).toMatchObject({
      ofThisProject: true,
      path: expect.stringContaining("aaaaaaaa") as string,
    });
  });

  it("why says when the newest log is of another project", async () => {
    const { home } = twoProjects();
    const { out } = await phasekitHere(["why"], { home });
    expect(out).toContain("None is of this project; newest of another:");
  });

  it("why --project is about that project, and doctor dates the files of a tool, not its runs", async () => {
    const { home } = twoProjects();
    const { out } = await phasekitHere(["why", "--project", "other"], { home });
    expect(out).not.toContain("None is of this project");
    expect(out).toMatch(/^Claude Code · other · bbbbbbbb/m);
    expect((await phasekitHere(["doctor"], { home })).out).toMatch(/Claude Code +2 logs in\s[\s\S]*?last\s+written\s/);
  });

  it.each([
    [
      ["--tool", "claude"],
      ["bbbbbbbb", "aaaaaaaa"],
    ],
    [
      ["--tool", "Claude Code"],
      ["bbbbbbbb", "aaaaaaaa"],
    ],
    [["--here"], ["aaaaaaaa"]],
    [["--project", "other"], ["bbbbbbbb"]],
    [["--since", "12h"], ["bbbbbbbb"]],
    [["--unverified"], ["bbbbbbbb", "aaaaaaaa"]],
  ])("runs %j lists %j", async (options, ids) => {
    const { home, here } = twoProjects();
    const { out } = await phasekitHere(["runs", ...options, "--json"], { home, cwd: here });
    const { runs } = JSON.parse(out) as { readonly runs: readonly { readonly path: string }[] };
    expect(runs.map(({ path }) => /([a-z])\1{7}/.exec(path)?.[0])).toEqual(ids);
  });

  it.each(["project", "day", "tool", "end"])("runs --by %s sums up", async (by) => {
    const { home, here } = twoProjects();
    const { code, out } = await phasekitHere(["runs", "--by", by], { home, cwd: here });
    expect(code).toBe(0);
    expect(out).toContain("verified");
    expect(out).toContain("2 runs in 2 logs");
  });

  it("runs --by sums up all logs, and a list has the newest twenty", async () => {
    const { home, here } = twoProjects();
    for (let number = 10; number < 33; number += 1)
      writeSession(home, here, { id: `cccccccc-3333-4333-8333-3333333333${String(number)}`, hoursAgo: number });
    const { out: list } = await phasekitHere(["runs"], { home });
    expect(list).toContain("20 runs in 20 logs · the newest of 25 logs, more with `--limit <n>`");
    expect((await phasekitHere(["runs", "--by", "project"], { home })).out).toContain("25 runs in 25 logs");
  });

  it("the id of a sub-run in a list leads to it", async () => {
    const home = emptyHome();
    const id = "aaaaaaaa-1111-4111-8111-111111111111";
    writeSession(home, "/srv/app", { id, hoursAgo: 1 });
    const path = join(home, ".claude/projects/-srv-app", `${id}.jsonl`);
    const frame = { isSidechain: true, agentId: "b2edce21c7524cb8c", sessionId: id, cwd: "/srv/app" };
    const lines = [
      { type: "user", uuid: "s1", message: { role: "user", content: "Look for the parser" } },
      {
        type: "assistant",
        uuid: "s2",
        parentUuid: "s1",
        message: { id: "m9", role: "assistant", content: [{ type: "text", text: "It is in a.ts." }] },
      },
    ];
    appendFileSync(path, lines.map((line) => `${JSON.stringify({ ...line, ...frame })}\n`).join(""));
    const { out: list } = await phasekitHere(["runs"], { home, env: { COLUMNS: "140" } });
    expect(list).toMatch(/└ aaaaaaaa\/b2edce21 +Look for the parser/);
    const { out } = await phasekitHere(["why", "aaaaaaaa/b2edce21", "--json"], { home });
    expect(JSON.parse(out)).toMatchObject({ about: { id: `${id}/b2edce21c7524cb8c` } });
  });

  it.each([
    [["--tool", "cursor"], 2, "There are logs of claude-code."],
    [["--tool", "claud-code"], 2, "Did you mean `--tool claude-code`?"],
    [["--since", "soon"], 2, "--since 7d"],
    [["--project", "nowhere"], 3, "None of 2 logs matches --project nowhere"],
    [["--limit", "0"], 2, "--limit must be at least 1"],
  ])("runs %j fails with exit code %i and a fix", async (options, expected, text) => {
    const { home, here } = twoProjects();
    const { code, error } = await phasekitHere(["runs", ...options], { home, cwd: here });
    expect(code).toBe(expected);
    expect(error).toContain(text);
  });
});

describe("ordinary mistakes", () => {
  it.each([
    [["ui", "--port", "99999"], "--port must be a port from 0 to 65535"],
    [["ui", "--port", "abc"], "Write `--port 4173`"],
    [["check", "--max-tokens", "abc"], "--max-tokens must be a whole number"],
  ])("%j is a usage error that names the option as it was typed", async (args, text) => {
    const { code, error } = await phasekitHere(args, twoProjects());
    expect(code).toBe(2);
    expect(error).toContain(text);
    expect(error).not.toContain("INTERNAL");
  });

  it("a port in use is not a bug of ours", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    const { code, error } = await phasekitHere(["ui", "--port", String(port)]);
    server.close();
    expect(code).toBe(2);
    expect(error).toMatch(/^PORT_IN_USE/);
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be written is not a bug of ours", async () => {
    const cwd = emptyHome();
    chmodSync(cwd, 0o500);
    const { code, error } = await phasekitHere(["init"], { cwd });
    chmodSync(cwd, 0o700);
    expect(code).toBe(2);
    expect(error).toMatch(/^CANNOT_WRITE/);
  });

  it("a file in the way of the output is not a bug of ours", async () => {
    const { home, here } = twoProjects();
    writeFileSync(join(here, "taken"), "");
    const { code, error } = await phasekitHere(["report", "--out", "taken/report.html"], { home, cwd: here });
    expect(error).toMatch(/^CANNOT_WRITE/);
    expect(code).toBe(2);
  });

  it("report of a folder with --out x.html writes that file", async () => {
    const { home, here } = twoProjects();
    const { code } = await phasekitHere(["report", join(home, ".claude/projects"), "--out", "all.html"], {
      home,
      cwd: here,
    });
    expect(code).toBe(0);
    expect(statSync(join(here, "all.html")).isFile()).toBe(true);
  });

  it("--no-color, help, help <command> and -V work", async () => {
    const { home, here } = twoProjects();
    expect((await phasekitHere(["why", "--no-color"], { home, cwd: here })).code).toBe(0);
    expect((await phasekitHere(["help"])).code).toBe(0);
    expect((await phasekitHere(["help", "why"])).code).toBe(0);
    expect((await phasekitHere(["-V"])).code).toBe(0);
  });
});
