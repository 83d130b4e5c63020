import type { AgentName } from "@phasekit/hooks";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelCall, Protocol, ShellTool } from "./model-server.ts";

/** Where one run of an agent takes place. */
export interface Scene {
  readonly home: string;
  readonly project: string;
  readonly port: number;
  /** The folder the agent was installed to. */
  readonly agentFolder: string;
  /** Aborted by Ctrl-C. */
  readonly signal?: AbortSignal;
}

/** A real agent: where it comes from and how it is driven offline. */
export interface CanaryAgent {
  readonly name: AgentName;
  readonly packageName: string;
  readonly version: string;
  readonly protocol: Protocol;
  readonly shell: ShellTool;
  /** How the agent is started where a veto has to reach it, if not by `command`. */
  readonly vetoIn?: "server";
  /** A nudge becomes a part of the tool's result, also in the agent's own log. */
  readonly nudgesInResults?: boolean;
  /** Hook events between two model requests with one tool call. */
  readonly eventsPerCall: number;
  /** Ways to reach Phasekit beside the default one. */
  readonly transports?: readonly "mcp"[];
  /** The agent's own logs, a folder or database below the home folder: read afterwards, they agree with the run. */
  readonly logFolder?: string;
  /** It writes about its last answers after its last event; Phasekit ends the run a little later. */
  readonly endsLate?: boolean;
  /** Its hooks name its own log, which Phasekit reads for what it missed. */
  readonly namesLog?: boolean;
  /** The calls with which the model starts a sub-agent and waits for it. */
  readonly delegate?: readonly ModelCall[];
  /** The call with which a sub-agent reports, where its last text is not its report. */
  readonly report?: (text: string) => ModelCall;
  /** A sub-agent that finishes can be sent back; elsewhere its parent is. @default true */
  readonly vetoesSubagents?: false;
  /** How several prompts reach one session, where the agent reads them from its standard input. */
  readonly talk?: {
    readonly command: (scene: Scene) => readonly string[];
    readonly write: (prompt: string) => string;
    /** True for the line that says that the prompt was answered. */
    readonly isDone: (line: string) => boolean;
  };
  /** The prompt that shortens the conversation, where the hooks say that it was shortened. */
  readonly compactPrompt?: string;
  /** Writes settings with which the agent shortens even a short conversation, once its context is full. */
  readonly shorten?: (scene: Scene) => void;
  /** How the user continues the last session in a new process. */
  readonly continuing?: (scene: Scene, prompt: string) => readonly string[];
  readonly timeoutMs: number;
  /** Writes the files the agent needs; before the installer, as at a user's. */
  readonly prepare: (scene: Scene) => void;
  readonly command: (scene: Scene, prompt: string) => readonly string[];
  readonly env: (scene: Scene) => Readonly<Record<string, string>>;
}

const bin = ({ agentFolder }: Scene, name: string): string => join(agentFolder, "node_modules", ".bin", name);
const url = ({ port }: Scene, path = ""): string => `http://127.0.0.1:${String(port)}${path}`;

function write(path: string, value: object | string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`);
}

/** The task of a sub-agent. It must not hold the user's prompt. */
const TASK = "Look around, change what is wrong, and report.";
const described = (text: string): object => ({ command: text, description: "Runs a command" });
const command = (text: string): object => ({ command: text });

/** Codex waits for agents by their ids, which are in the results of the calls that started them. */
function waitForAgents(body: string): object {
  const ids = [...body.matchAll(/agent_id\W{1,8}([0-9a-f-]{36})/g)].map(([, id]) => id);
  return { targets: [...new Set(ids)], timeout_ms: 60_000 };
}

/** The versions that were driven last; `--latest` takes what the registry has. */
export const canaryAgents: readonly CanaryAgent[] = [
  {
    name: "claude-code",
    packageName: "@anthropic-ai/claude-code",
    version: "2.1.325",
    protocol: "anthropic",
    eventsPerCall: 3,
    shell: { name: "Bash", input: described },
    delegate: [
      {
        name: "Agent",
        input: { description: "sub task", prompt: TASK, subagent_type: "general-purpose", run_in_background: false },
      },
    ],
    namesLog: true,
    logFolder: ".claude/projects",
    talk: {
      command: (scene) => [
        bin(scene, "claude"),
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--dangerously-skip-permissions",
      ],
      write: (content) => JSON.stringify({ type: "user", message: { role: "user", content } }),
      isDone: (line) => line.includes('"type":"result"'),
    },
    compactPrompt: "/compact",
    timeoutMs: 60_000,
    // The user's own settings: they have to survive the installation and be restored byte for byte.
    prepare: ({ home }) => {
      write(
        join(home, ".claude", "settings.json"),
        '{\n    "cleanupPeriodDays": 20,\n    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
      );
    },
    command: (scene, prompt) => [
      bin(scene, "claude"),
      "-p",
      prompt,
      "--output-format",
      "stream-json",
      "--verbose",
      "--dangerously-skip-permissions",
    ],
    continuing: (scene, prompt) => [
      bin(scene, "claude"),
      "--continue",
      "-p",
      prompt,
      "--output-format",
      "stream-json",
      "--verbose",
      "--dangerously-skip-permissions",
    ],
    env: (scene) => ({
      ANTHROPIC_BASE_URL: url(scene),
      ANTHROPIC_API_KEY: "sk-ant-dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    }),
  },
  {
    name: "codex",
    packageName: "@openai/codex",
    version: "0.166.0",
    protocol: "responses",
    eventsPerCall: 2,
    shell: { name: "exec_command", input: (cmd) => ({ cmd }) },
    transports: ["mcp"],
    delegate: [
      { name: "spawn_agent", namespace: "multi_agent_v1", input: { message: TASK } },
      { name: "wait_agent", namespace: "multi_agent_v1", input: waitForAgents },
    ],
    namesLog: true,
    logFolder: ".codex/sessions",
    timeoutMs: 60_000,
    shorten: (scene) => {
      const path = join(scene.home, ".codex", "config.toml");
      write(path, `model_auto_compact_token_limit = 100000\n${readFileSync(path, "utf8")}`);
    },
    prepare: (scene) => {
      const config = [
        'model = "gpt-5.5"',
        'model_provider = "local"',
        "[model_providers.local]",
        'name = "local"',
        `base_url = "${url(scene, "/v1")}"`,
        'wire_api = "responses"',
        'env_key = "LOCAL_KEY"',
        "[analytics]",
        "enabled = false",
      ];
      write(join(scene.home, ".codex", "config.toml"), `${config.join("\n")}\n`);
    },
    // The bypass replaces the user who trusts the hooks once in /hooks.
    command: (scene, prompt) => [
      bin(scene, "codex"),
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--disable",
      "plugins",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      prompt,
    ],
    continuing: (scene, prompt) => [
      bin(scene, "codex"),
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--disable",
      "plugins",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      "resume",
      "--last",
      prompt,
    ],
    env: () => ({ LOCAL_KEY: "x" }),
  },
  {
    name: "gemini-cli",
    packageName: "@google/gemini-cli",
    version: "0.61.0",
    protocol: "gemini",
    nudgesInResults: true,
    eventsPerCall: 2,
    shell: { name: "run_shell_command", input: command },
    delegate: [{ name: "invoke_agent", input: { agent_name: "generalist", prompt: TASK } }],
    compactPrompt: "/compress",
    report: (response) => ({ name: "complete_task", input: { result: { response } } }),
    vetoesSubagents: false,
    namesLog: true,
    logFolder: ".gemini/tmp",
    timeoutMs: 90_000,
    prepare: ({ home }) => {
      write(join(home, ".gemini", "settings.json"), {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      });
    },
    command: (scene, prompt) => [
      bin(scene, "gemini"),
      "-p",
      prompt,
      "-m",
      "gemini-2.5-flash",
      "--approval-mode",
      "yolo",
      "-o",
      "stream-json",
    ],
    continuing: (scene, prompt) => [
      bin(scene, "gemini"),
      "--resume",
      "latest",
      "-p",
      prompt,
      "-m",
      "gemini-2.5-flash",
      "--approval-mode",
      "yolo",
      "-o",
      "stream-json",
    ],
    env: (scene) => ({
      GEMINI_API_KEY: "dummy",
      GOOGLE_GEMINI_BASE_URL: url(scene),
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
  },
  {
    name: "copilot-cli",
    packageName: "@github/copilot",
    version: "1.0.102",
    protocol: "chat",
    nudgesInResults: true,
    eventsPerCall: 2,
    shell: { name: "bash", input: described },
    delegate: [
      {
        name: "task",
        input: { description: "sub task", prompt: TASK, agent_type: "general-purpose", name: "sub" },
      },
    ],
    endsLate: true,
    shorten: () => undefined,
    logFolder: ".copilot/session-state",
    timeoutMs: 90_000,
    prepare: () => undefined,
    command: (scene, prompt) => [bin(scene, "copilot"), "-p", prompt, "--allow-all-tools"],
    continuing: (scene, prompt) => [bin(scene, "copilot"), "--continue", "-p", prompt, "--allow-all-tools"],
    env: (scene) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: url(scene, "/v1"),
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "fake-model",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "200000",
    }),
  },
  {
    name: "opencode",
    packageName: "opencode-ai",
    version: "1.18.33",
    protocol: "chat",
    nudgesInResults: true,
    eventsPerCall: 2,
    shell: { name: "bash", input: described },
    delegate: [{ name: "task", input: { description: "sub task", prompt: TASK, subagent_type: "general" } }],
    vetoesSubagents: false,
    vetoIn: "server",
    logFolder: ".local/share/opencode/opencode.db",
    timeoutMs: 120_000,
    shorten: () => undefined,
    prepare: (scene) => {
      write(join(scene.project, "opencode.json"), {
        autoupdate: false,
        share: "disabled",
        model: "local/fake-model",
        small_model: "local/fake-model",
        provider: {
          local: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: url(scene, "/v1"), apiKey: "x" },
            models: { "fake-model": { tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
        permission: { bash: "allow", edit: "allow" },
      });
    },
    command: (scene, prompt) => [bin(scene, "opencode"), "run", prompt, "--format", "json"],
    continuing: (scene, prompt) => [bin(scene, "opencode"), "run", "--continue", prompt, "--format", "json"],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      npm_config_fetch_retries: "0",
    }),
  },
  {
    name: "pi",
    packageName: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    protocol: "chat",
    nudgesInResults: true,
    eventsPerCall: 2,
    shell: { name: "bash", input: command },
    namesLog: true,
    logFolder: ".pi/agent/sessions",
    talk: {
      command: (scene) => [bin(scene, "pi"), "--mode", "rpc", "--provider", "local", "--model", "fake-model"],
      write: (message) => JSON.stringify({ type: "prompt", message }),
      isDone: (line) => line.includes('"type":"agent_end"'),
    },
    timeoutMs: 60_000,
    shorten: ({ home }) => {
      write(join(home, ".pi", "agent", "settings.json"), { compaction: { enabled: true, keepRecentTokens: 1 } });
    },
    prepare: (scene) => {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const model = { id: "fake-model", name: "fake", reasoning: false, input: ["text"], cost };
      write(join(scene.home, ".pi", "agent", "models.json"), {
        providers: {
          local: {
            baseUrl: url(scene, "/v1"),
            api: "openai-completions",
            apiKey: "x",
            models: [{ ...model, contextWindow: 200_000, maxTokens: 8000 }],
          },
        },
      });
    },
    command: (scene, prompt) => [
      bin(scene, "pi"),
      "-p",
      "--mode",
      "json",
      "--provider",
      "local",
      "--model",
      "fake-model",
      prompt,
    ],
    continuing: (scene, prompt) => [
      bin(scene, "pi"),
      "--continue",
      "-p",
      "--mode",
      "json",
      "--provider",
      "local",
      "--model",
      "fake-model",
      prompt,
    ],
    env: () => ({ PI_OFFLINE: "1" }),
  },
];
