import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { type ClaudeTool, playPrompt } from "./scripted-claude/play-prompt.ts";
import type { Json, ScriptedAnswer } from "./openai-server/protocol.ts";
import type { SeenMessage, SeenRequest } from "./openai-server/seen-request.ts";

export type { ClaudeTool, ToolContext } from "./scripted-claude/play-prompt.ts";

/** A Claude Code in this process: it speaks the control protocol of the Agent SDK and follows a script. */
export interface ScriptedClaude {
  /** For the SDK's option `spawnClaudeCodeProcess`. */
  readonly spawn: (options: { readonly args: readonly string[]; readonly signal?: AbortSignal }) => FakeProcess;
  /** The requests to its model, also those of sub-agents. */
  readonly requests: readonly SeenRequest[];
  /** The hooks it called, with their answers. */
  readonly hooks: readonly { readonly name: string; readonly answer: Json }[];
}

/** The answers one after the other, or a function that makes them from the request. */
export type ClaudeScript = readonly ScriptedAnswer[] | ((request: SeenRequest, index: number) => ScriptedAnswer);

export interface ScriptedClaudeOptions {
  readonly script: ClaudeScript;
  readonly tools: readonly ClaudeTool[];
  /** @default "large-1" */
  readonly model?: string;
  /** The cost a result reports. @default 0 */
  readonly costUsd?: number;
}

/** The part of a child process that the SDK uses. */
export interface FakeProcess extends EventEmitter {
  readonly stdin: PassThrough;
  readonly stdout: PassThrough;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly kill: () => boolean;
}

/** One process: its pipes, its model and the SDK's hooks. */
export interface ClaudeProcess {
  /** Writes one message to the SDK. */
  readonly emit: (message: Json) => void;
  /** Calls the SDK's hooks for an event, one after the other; the answers as one object. */
  readonly hook: (name: string, input: Json, toolUse?: string) => Promise<Json>;
  /** Asks the SDK for permission, if it wants to be asked. */
  readonly permit: (request: Json) => Promise<Json>;
  /** The next answer of the scripted model. */
  readonly ask: (messages: readonly SeenMessage[]) => ScriptedAnswer;
  readonly partial: boolean;
  readonly maxTurns: number;
  readonly tools: readonly ClaudeTool[];
  readonly costUsd: number;
  readonly history: SeenMessage[];
}

export function scriptedClaude({
  script,
  tools,
  model = "large-1",
  costUsd = 0,
}: ScriptedClaudeOptions): ScriptedClaude {
  const requests: SeenRequest[] = [];
  const hooks: { name: string; answer: Json }[] = [];

  function spawn({ args, signal }: Parameters<ScriptedClaude["spawn"]>[0]): FakeProcess {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    let exitCode: number | null = null;
    let killed = false;
    let current = model;
    let registered: Readonly<Record<string, readonly { readonly hookCallbackIds: readonly string[] }[]>> = {};
    let nextId = 0;
    const pending = new Map<string, (response: Json) => void>();
    const child = Object.defineProperties(Object.assign(new EventEmitter(), { stdin, stdout, kill }), {
      killed: { get: () => killed },
      exitCode: { get: () => exitCode },
    }) as FakeProcess;
    const emit = (message: Json): void => void stdout.write(`${JSON.stringify(message)}\n`);
    /** The value of a flag, written `--name=value` or `--name value`. */
    const flag = (name: string): string | undefined => {
      const index = args.findIndex((given) => given === name || given.startsWith(`${name}=`));
      return index < 0 ? undefined : args[index]?.slice(name.length + 1) || (args[index + 1] ?? "");
    };

    function kill(): boolean {
      killed = true;
      exit(143);
      return true;
    }

    function exit(code: number): void {
      if (exitCode !== null) return;
      exitCode = code;
      stdout.end();
      child.emit("exit", code, null);
    }

    function request(body: Json): Promise<Json> {
      const request_id = `process-${nextId++}`;
      emit({ type: "control_request", request_id, request: body });
      return new Promise((resolve) => pending.set(request_id, resolve));
    }

    const claude: ClaudeProcess = {
      emit: (message) => emit({ uuid: `uuid-${nextId++}`, session_id: "session-1", ...message }),
      hook: async (name, input, toolUse) => {
        const answer: Record<string, unknown> = {};
        for (const { hookCallbackIds } of registered[name] ?? [])
          for (const callback_id of hookCallbackIds) {
            const base = { session_id: "session-1", transcript_path: "", cwd: "/project", hook_event_name: name };
            const given = await request({
              subtype: "hook_callback",
              callback_id,
              input: { ...base, ...input },
              tool_use_id: toolUse,
            });
            Object.assign(answer, given);
          }
        hooks.push({ name, answer });
        return answer;
      },
      permit: (body) =>
        flag("--permission-prompt-tool") !== undefined
          ? request({ subtype: "can_use_tool", ...body })
          : Promise.resolve({ behavior: "allow" }),
      ask: (messages) => {
        const last = messages.at(-1)?.text ?? "";
        const seen: SeenRequest = {
          model: current,
          messages: [...messages],
          tools: tools.map(({ name }) => name),
          // Claude Code has no tool choice: the closing turn is the one that says so.
          toolChoice: /Use no (more )?tools/.test(last) ? "none" : "auto",
        };
        requests.push(seen);
        const index = requests.length - 1;
        return typeof script === "function" ? script(seen, index) : (script[index] ?? { text: "end of script" });
      },
      partial: args.includes("--include-partial-messages"),
      maxTurns: Number(flag("--max-turns") ?? Infinity),
      tools,
      costUsd,
      history: [],
    };

    function control({ request_id, request: body }: Json): void {
      const { subtype, hooks: wanted, model: name } = body as Json;
      if (subtype === "initialize") registered = (wanted ?? {}) as typeof registered;
      if (subtype === "set_model") current = typeof name === "string" ? name : model;
      const response = subtype === "initialize" ? { commands: [], models: [], agents: [], account: {} } : {};
      emit({ type: "control_response", response: { subtype: "success", request_id, response } });
    }

    let prompts = Promise.resolve(true);
    createInterface({ input: stdin }).on("line", (line) => {
      const message = JSON.parse(line) as Json;
      if (message["type"] === "control_request") control(message);
      else if (message["type"] === "control_response") {
        const { request_id, response = {} } = message["response"] as Json;
        pending.get(String(request_id))?.(response as Json);
        pending.delete(String(request_id));
      } else if (message["type"] === "user") {
        const { content } = message["message"] as Json;
        const text = typeof content === "string" ? content : (content as Json[]).map(({ text: part }) => part).join("");
        prompts = prompts.then(() => playPrompt(claude, text));
        prompts.catch((error: unknown) => {
          child.emit("error", error);
        });
      }
    });
    stdin.on("end", () => void prompts.then((isOk) => exit(isOk ? 0 : 1)));
    signal?.addEventListener("abort", () => exit(143));
    return child;
  }

  return { spawn, requests, hooks };
}
