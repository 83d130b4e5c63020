import { query } from "@anthropic-ai/claude-agent-sdk";
import { codingRun } from "@phasekit/coding";
import { createRun, definePolicy, refuse, type RunEvent, type RunPort, trackRun } from "@phasekit/core";
import { startAnthropicServer } from "@phasekit/tooling/anthropic-server";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withPhases } from "../src/index.ts";

/** The real Claude Code of the canary's folder, if it is there: `pnpm canary` installs it. */
function findClaude(): string | undefined {
  const folder = process.env["PHASEKIT_CANARY"] ?? "";
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((name) => name.startsWith("claude-code-"))
    .map((name) => join(folder, name, "node_modules/@anthropic-ai/claude-code/bin/claude.exe"))
    .find((path) => existsSync(path));
}

const claude = findClaude();
const usage = { input: 100, output: 10 };
const bash = (command: string) => ({ tool: "Bash", input: { command, description: "Runs a command" } });

interface Scene {
  readonly script: Parameters<typeof startAnthropicServer>[0];
  readonly options?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the real binary against a scripted model, with a home of its own and no network. */
async function play(run: Parameters<typeof withPhases>[0], { script, options, files = {} }: Scene) {
  const home = mkdtempSync(join(tmpdir(), "phasekit-claude-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  let asked = 0;
  const server = await startAnthropicServer((request) => {
    // Requests without tools are for titles and the like.
    if (request.tools.length === 0) return { text: "ok" };
    const index = asked++;
    return typeof script === "function" ? script(request, index) : (script[index] ?? { text: "end of script" });
  });
  const messages: { readonly type: string }[] = [];
  let thrown: unknown;
  try {
    const ask = withPhases(run, query);
    for await (const message of ask({
      prompt: "Do it.",
      options: {
        pathToClaudeCodeExecutable: claude ?? "",
        cwd: home,
        settingSources: [],
        tools: ["Bash", "Read", "Edit", "Agent"],
        allowedTools: ["Bash", "Read", "Edit", "Agent"],
        env: {
          PATH: process.env["PATH"],
          HOME: home,
          CLAUDE_CONFIG_DIR: join(home, ".claude"),
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: "sk-ant-dummy",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          IS_SANDBOX: "1",
          CLAUDE_CODE_MAX_RETRIES: "0",
        },
        ...options,
      },
    }))
      messages.push(message);
  } catch (error) {
    thrown = error;
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
  const requests = server.requests.filter(({ tools }) => tools.length > 0);
  return { messages, thrown, requests: requests.map(({ text }) => text) };
}

function eventsOf(run: RunPort): RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

describe.skipIf(claude === undefined)("the real Claude Code", () => {
  it("sends a done without tests back, and has exact usage", async () => {
    const run = codingRun({ mode: "gate", task: { text: "Fix sum." } });
    const { requests, messages } = await trackRun(run, () =>
      play(run as never, {
        files: { "sum.js": "export const sum = (a, b) => a - b;\n" },
        script: (request, index) => {
          const path = /"cwd":"([^"]+)"|Primary working directory: ([^\\\n]+)/.exec(request.text);
          const file = `${path?.[1] ?? path?.[2] ?? "."}/sum.js`;
          const answers = [
            { calls: [{ tool: "Read", input: { file_path: file } }], usage },
            { calls: [{ tool: "Edit", input: { file_path: file, old_string: "a - b", new_string: "a + b" } }], usage },
            { text: "Done.", usage },
            { text: "Still done.", usage },
          ];
          return answers[index] ?? { text: "end of script", usage };
        },
        options: { permissionMode: "acceptEdits" },
      }),
    );
    expect(requests.at(-1)).toContain("<phasekit>");
    expect(requests).toHaveLength(4);
    expect(messages.some(({ type }) => type === "stream_event")).toBe(false);
    expect(run.view.usage).toMatchObject({ modelCalls: 4, unknownCalls: 0, inputTokens: 400, outputTokens: 40 });
    expect(run.outcome).toMatchObject({ reason: "done_unverified", verified: false });
  });

  it("refuses a call, shows a failed one, and has the calls in the order of their answer", async () => {
    const noFetch = definePolicy({
      name: "no-fetch",
      decide: {
        "tool.requested": (_run, _state, { input }) =>
          JSON.stringify(input).includes("git fetch") ? refuse("The workspace is current.") : undefined,
      },
    });
    const run = createRun({ mode: "gate", policies: [noFetch] });
    const events = eventsOf(run);
    const { requests } = await trackRun(run, () =>
      play(run, {
        script: [
          { calls: [bash("git fetch origin main"), bash("exit 3")], usage },
          { text: "Stopped.", usage },
        ],
      }),
    );
    expect(requests[1]).toContain("The workspace is current.");
    expect(events.filter(({ type }) => type === "tool.refused")).toHaveLength(1);
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ outcome: "error", exitCode: 3 });
    expect(run.view.toolCalls).toBe(2);
  });

  it("shows a sub-agent as a child run that ends", async () => {
    const run = createRun();
    const events = eventsOf(run);
    await trackRun(run, () =>
      play(run, {
        script: (request) => {
          const isChild = request.text.includes("Look around") && !request.text.includes('"Do it."');
          const last = JSON.stringify(request.history.at(-2)) + JSON.stringify(request.history.at(-1));
          if (isChild)
            return last.includes("tool_result") ? { text: "Found it.", usage } : { calls: [bash("echo sub")], usage };
          const agent = { description: "look", prompt: "Look around", subagent_type: "general-purpose" };
          return request.history.some(({ role }) => role === "assistant")
            ? { text: "Done.", usage }
            : { calls: [{ tool: "Agent", input: { ...agent, run_in_background: false } }], usage };
        },
      }),
    );
    const lines = events.filter(({ type }) => type.startsWith("child."));
    expect(lines.map(({ type }) => type)).toEqual(expect.arrayContaining(["child.started", "child.finished"]));
    expect(events.filter(({ type }) => type === "child.started")).toHaveLength(1);
    expect(events.filter(({ type }) => type === "child.finished")).toMatchObject([{ reason: "done" }]);
    expect(run.outcome?.reason).toBe("done");
  });

  it("does not begin the prompt of a run that was stopped before", async () => {
    const run = createRun();
    run.stop({ reason: "policy_stop", how: "halt" });
    const { requests } = await play(run, { script: [{ text: "never asked", usage }] });
    expect(requests).toEqual([]);
  });

  it("folds the turn limit and a failing model into the reason of the run", async () => {
    const limited = createRun();
    const { thrown } = await play(limited, {
      script: [
        { calls: [bash("echo hi")], usage },
        { text: "never asked", usage },
      ],
      options: { maxTurns: 1 },
    });
    expect(String(thrown)).toContain("maximum number of turns");
    expect(limited.outcome?.reason).toBe("step_limit");
    const failing = createRun();
    await play(failing, { script: () => ({ fails: { status: 403, code: "permission_error" } }) });
    expect(failing.outcome?.reason).toBe("rate_limit");
  });
});
