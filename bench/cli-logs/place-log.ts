import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** The tools whose logs both programs read, by the folder or the start of the file name of a recorded log. */
export const tools = ["claude-code", "codex", "gemini-cli", "copilot-cli", "opencode"] as const;
export type Tool = (typeof tools)[number];

export interface PlaceOptions {
  /**
   * Also writes the files of sub-agents that Claude Code writes beside a session, from its progress records, which
   * repeat them: recorded sessions come without these files. @default false
   */
  readonly withSubAgents?: boolean;
}

/** Writes a recorded log to where its tool would have written it in a home folder. */
export function placeLog(
  home: string,
  { tool, path }: { readonly tool: Tool; readonly path: string },
  { withSubAgents = false }: PlaceOptions = {},
): void {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  const name = basename(path).replace(/\.gz$/, "").replace(/^.*__/, "");
  const id = name.replace(/\.jsonl?$/, "");
  const files = filesOf[tool]({ text, name, id });
  for (const [place, content] of [...files, ...(withSubAgents ? subAgentFiles({ text, name, id }) : [])]) {
    const file = join(home, place);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

interface RecordedLog {
  readonly text: string;
  readonly name: string;
  readonly id: string;
}

const filesOf: Readonly<Record<Tool, (log: RecordedLog) => readonly (readonly [place: string, text: string])[]>> = {
  "claude-code": ({ text, name }) => [[`.claude/projects/-home-dev-app/${name}`, text]],
  codex: ({ text, id }) => [[`.codex/sessions/2026/06/17/rollout-2026-06-17T00-00-00-${id}.jsonl`, text]],
  "gemini-cli": ({ text, id }) => [[`.gemini/tmp/app/chats/session-${id}.json`, text]],
  "copilot-cli": ({ text, id }) => [[`.copilot/session-state/${id}/events.jsonl`, text]],
  opencode: ({ text }) => {
    // Exported; opencode stores a file per message and part.
    const { info, messages } = JSON.parse(text) as OpencodeExport;
    const storage = ".local/share/opencode/storage";
    return [
      [`${storage}/session/app/${info.id}.json`, JSON.stringify(info)],
      ...messages.flatMap((message) => [
        [`${storage}/message/${info.id}/${message.info.id}.json`, JSON.stringify(message.info)] as const,
        ...message.parts.map(
          (part) => [`${storage}/part/${message.info.id}/${part.id}.json`, JSON.stringify(part)] as const,
        ),
      ]),
    ];
  },
};

interface OpencodeExport {
  readonly info: { readonly id: string };
  readonly messages: readonly {
    readonly info: { readonly id: string };
    readonly parts: readonly { readonly id: string }[];
  }[];
}

interface ProgressRecord {
  readonly sessionId: string;
  readonly cwd: string;
  readonly data?: { readonly agentId?: string; readonly message?: object };
}

/** The files of sub-agents of a session of Claude Code, one per agent. */
function subAgentFiles({ text, id }: RecordedLog): readonly (readonly [place: string, text: string])[] {
  const linesByAgent = new Map<string, string[]>();
  for (const line of text.split("\n").filter((part) => part.includes('"type":"progress"'))) {
    const { sessionId, cwd, data: { agentId, message } = {} } = JSON.parse(line) as ProgressRecord;
    if (agentId === undefined || message === undefined) continue;
    const lines = linesByAgent.get(agentId) ?? [];
    linesByAgent.set(agentId, lines);
    lines.push(JSON.stringify({ ...message, isSidechain: true, agentId, sessionId, cwd }));
  }
  return [...linesByAgent].map(([agent, lines]) => [
    `.claude/projects/-home-dev-app/${id}/subagents/agent-${agent}.jsonl`,
    lines.join("\n"),
  ]);
}
