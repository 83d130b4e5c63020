import { randomUUID } from "node:crypto";
import type { Json, JsonObject, RunEvent } from "@phasekit/core";
import { hideTexts } from "@phasekit/ledger/story";

/** Takes the texts out of the runs of one file, and counts them. */
export interface ShareFilter {
  /** Returns the run without texts, under a name of its own. */
  readonly share: (events: readonly RunEvent[]) => readonly RunEvent[];
  /** Returns another name for a project, the same one for the same project. */
  readonly nameProject: (project: string) => string;
  /** Counts what was removed so far, for the head of the page. */
  readonly removed: () => RemovedTexts;
}

/** How many texts were removed. */
export interface RemovedTexts {
  readonly prompts: number;
  readonly answers: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** Names of this run and of what it is about: each gets another one. */
const OWN: ReadonlySet<string> = new Set(["run", "child", "item", "id"]);
/** Names that may come from an agent: a model can call a tool by any text. */
const GIVEN: ReadonlySet<string> = new Set(["tool", "code", "name", "actor", "agent", "call", "loop"]);
const WORD = /^[\w.:@+#$-]{0,80}$/;

/**
 * Creates a filter. The salt of its hashes is forgotten, so no reader can find the name of a file by trying names.
 * One file has the same hash in every run of the page.
 */
export function createShareFilter(): ShareFilter {
  const hide = hideTexts({ salt: randomUUID() });
  const withAliases = createAliases();
  const removed = { prompts: 0, answers: 0, inputs: 0, outputs: 0 };
  const projects = new Map<string, string>();
  let runs = 0;
  return {
    nameProject: (project) => {
      const name = projects.get(project) ?? `Project ${String(projects.size + 1)}`;
      projects.set(project, name);
      return name;
    },
    share: (events) => {
      runs += 1;
      const [header] = events;
      // The task is the first prompt, which some hosts record as a message too.
      if (header?.type === "run.started" && header.task?.text !== undefined && !events.some(isPrompt))
        removed.prompts += 1;
      const run = `Run ${String(runs)}`;
      return events.map((event) => {
        countTexts(event, removed);
        const hidden = withAliases(hide(event)) as unknown as RunEvent;
        if (hidden.type !== "run.started") return hidden;
        // The number of a task is a name too.
        const { task: _task, ...header } = hidden;
        return { ...header, run, policies: [], interpreters: [] };
      });
    },
    removed: () => ({ ...removed }),
  };
}

const isPrompt = (event: RunEvent): boolean =>
  event.type === "message.received" && (event.from === undefined || event.from === "user");

function countTexts(event: RunEvent, removed: { -readonly [TName in keyof RemovedTexts]: number }): void {
  switch (event.type) {
    case "message.received":
      if (isPrompt(event)) removed.prompts += 1;
      break;
    case "message.sent":
      removed.answers += 1;
      break;
    case "tool.requested":
      if (event.input !== undefined) removed.inputs += 1;
      break;
    case "tool.finished":
      if (event.output !== undefined) removed.outputs += 1;
      break;
    default:
  }
}

/** Creates a function that gives names another one, the same for the same name. */
function createAliases(): (event: JsonObject) => JsonObject {
  const aliases = new Map<string, string>();
  const aliasOf = (value: string, key: string): string => {
    if (!OWN.has(key) && (!GIVEN.has(key) || WORD.test(value))) return value;
    const alias = aliases.get(value) ?? `${key}-${String(aliases.size + 1)}`;
    aliases.set(value, alias);
    return alias;
  };
  const walk = (value: Json, key: string): Json => {
    if (typeof value === "string") return aliasOf(value, key);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? value.map((part: Json) => walk(part, key)) : walkMembers(value as JsonObject);
  };
  const walkMembers = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, walk(value, key)]));
  return walkMembers;
}
