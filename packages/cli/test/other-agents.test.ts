import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { isOfProject, projectRoot } from "../src/logs/log-folder.ts";
import { repositoryOf } from "../src/logs/repository-of.ts";
import { emptyHome, phasekitHere } from "./run-cli.ts";

const COPILOT = "10fb4666-56f0-4352-90fc-715caf95b418";
const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../transcripts/test/fixtures", name), "utf8");

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const lines = (values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join("\n");

/** A session of Copilot: its log tells the tokens of answers, and not those of prompts. */
function copilotHome(folder = "/home/dev/app"): string {
  const home = emptyHome();
  const at = new Date().toISOString();
  const event = (type: string, data: object, id: string) => ({ type, data, id, timestamp: at, parentId: null });
  put(
    join(home, ".copilot/session-state", COPILOT, "events.jsonl"),
    lines([
      event(
        "session.start",
        { sessionId: COPILOT, copilotVersion: "1.0.64", startTime: at, context: { cwd: folder } },
        "1",
      ),
      event("user.message", { content: "Look at the hook." }, "2"),
      event(
        "assistant.message",
        { messageId: "m1", model: "claude-sonnet-4.6", content: "It is fine.", toolRequests: [], outputTokens: 1000 },
        "3",
      ),
    ]),
  );
  return home;
}

describe("agents other than Claude Code", () => {
  it("the id of Copilot that runs prints selects its run", async () => {
    const home = copilotHome();
    const { out } = await phasekitHere(["runs"], { home });
    expect(out).toContain(COPILOT.slice(0, 8));
    for (const id of [COPILOT, COPILOT.slice(0, 8)])
      expect((await phasekitHere(["why", id], { home })).out).toContain("GitHub Copilot CLI · app · 10fb4666");
  });

  it("an id that is only inside a log selects its run once runs has printed it", async () => {
    const home = emptyHome();
    put(join(home, ".gemini/tmp/app/chats/session-2026-01-01T00-00-other.json"), fixture("gemini-cli.json"));
    const { out } = await phasekitHere(["runs", "--json"], { home });
    const [run] = (JSON.parse(out) as { runs: { about: { id: string } }[] }).runs;
    const { out: why, code } = await phasekitHere(["why", run?.about.id ?? ""], { home });
    expect({ why: why.split("\n")[0], code }).toMatchObject({
      code: 0,
      why: expect.stringContaining("Gemini CLI") as string,
    });
  });

  it("a log without input tokens has a lower bound of its cost, and no advice that would not help", async () => {
    const home = copilotHome();
    const { out } = await phasekitHere(["why", "--latest"], { home, env: { COLUMNS: "200" } });
    expect(out).toMatch(/COST {6}≥ \$0\.01 at list prices of [\d-]+; the log does not tell all tokens of 1 call\n/);
    expect(out).not.toContain("--prices");
    const prices = join(home, "prices.json");
    writeFileSync(prices, JSON.stringify({ "claude-sonnet-4.6": { input: 1, output: 500 } }));
    expect((await phasekitHere(["why", "--latest", "--prices", prices], { home })).out).toContain("≥ $0.50");
  });
});

describe("worktrees", () => {
  it.each([
    ["/home/dev/app/.worktrees/2", "/home/dev/app"],
    ["/home/dev/app/.claude/worktrees/brave-robin/src", "/home/dev/app"],
    ["/home/dev/app__worktrees/fix-it", "/home/dev/app"],
    ["/home/dev/worktrees", "/home/dev/worktrees"],
    ["/home/dev/app", "/home/dev/app"],
  ])("the repository of %s is %s", (folder, repository) => {
    expect(repositoryOf(folder)).toBe(repository);
  });

  it("a worktree that git made elsewhere belongs to its repository", () => {
    const root = emptyHome();
    mkdirSync(join(root, "app/.git/worktrees/fix"), { recursive: true });
    put(join(root, "fix/.git"), `gitdir: ${join(root, "app/.git/worktrees/fix")}\n`);
    expect(repositoryOf(join(root, "fix"))).toBe(join(root, "app"));
    expect(projectRoot(join(root, "fix"))).toBe(join(root, "app"));
    const log = {
      tool: "codex",
      title: "Codex",
      path: "/x",
      name: "x",
      updatedAt: 0,
      bytes: 1,
      folder: join(root, "fix"),
    };
    expect(isOfProject(log, join(root, "app"))).toBe(true);
  });

  it("runs lists a worktree under its repository", async () => {
    const { out } = await phasekitHere(["runs", "--by", "project"], {
      home: copilotHome("/home/dev/app/.worktrees/2"),
    });
    expect(out).toMatch(/^app /m);
  });
});

describe("titles", () => {
  it("runs has the prompt as title, without what hosts add, and why keeps it hidden", async () => {
    const home = emptyHome();
    const path = join(home, "log.json");
    const text = "<system-reminder>\nBe kind.\n</system-reminder>\n# Plan: Fix the parser\n\nDetails";
    writeFileSync(
      path,
      JSON.stringify({
        messages: [
          { role: "user", content: text },
          { role: "assistant", content: "Done." },
        ],
      }),
    );
    expect((await phasekitHere(["runs", path])).out).toContain("Fix the parser");
    const { out } = await phasekitHere(["why", path, "--json"]);
    expect(out).not.toContain("parser");
  });
});
