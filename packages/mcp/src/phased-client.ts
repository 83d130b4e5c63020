import { phaseSpec, type RunPort } from "@phasekit/core";
import { failureFact, isOffered, resultFact, runFrom, type RunSource, shieldRun, systemClock } from "@phasekit/core/adapter";

/** The part of an MCP client that is used; those of every official SDK fit. */
interface AnyClient {
  readonly callTool: (params: never, ...rest: never[]) => Promise<unknown>;
  readonly listTools?: (...rest: never[]) => Promise<unknown>;
}

/** What is known about a call when a run is looked for. */
export interface ClientCallContext {
  readonly tool: string;
  readonly input: unknown;
}

export interface PhasedClientOptions {
  /** The name of a tool in the run, such as `docs__search` when several servers are used. @default its own name */
  readonly toolName?: (name: string) => string;
  /** Lists only the tools of the phase, in mode `gate`. Calls are refused either way. @default false */
  readonly hideTools?: boolean;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The same client with a run behind its tools: a call the run refuses is not made and answers with the refusal, and
 * every result is recorded. Everything else about the client stays as it is.
 *
 * @example
 * const client = phasedClient(new Client({ name: "agent", version: "1" }), run);
 * @throws RUN_ENDED from a call when the run has ended
 */
export function phasedClient<TClient extends AnyClient>(client: TClient, source: RunSource<ClientCallContext>, { toolName = (name) => name, hideTools = false, clock = systemClock }: PhasedClientOptions = {}): TClient {
  async function callTool(params: unknown, ...rest: unknown[]): Promise<unknown> {
    const { name, arguments: input = {} } = membersOf(params);
    const tool = toolName(String(name));
    const run = runFrom(source, { tool, input });
    const answer = shieldRun(run).beforeTool({ tool, input });
    if (!answer.allow) return { content: [{ type: "text", text: answer.text }], isError: true };
    const call = () => (client.callTool as (params: unknown, ...more: unknown[]) => Promise<unknown>).call(client, params, ...rest);
    return await observed(run, call, { subject: { call: answer.call, tool }, clock });
  }

  async function listTools(...rest: unknown[]): Promise<unknown> {
    const list = client.listTools as (...more: unknown[]) => Promise<unknown>;
    const listed = await list.apply(client, rest);
    const { tools } = membersOf(listed);
    if (!Array.isArray(tools)) return listed;
    const rules = rulesOf(runFrom(source, { tool: "", input: undefined }));
    return { ...membersOf(listed), tools: tools.filter((tool) => isOffered(rules, toolName(String(membersOf(tool)["name"])))) };
  }

  return new Proxy(client, {
    get: (target, key) => {
      if (key === "callTool") return callTool;
      if (key === "listTools" && hideTools && target.listTools !== undefined) return listTools;
      const member: unknown = Reflect.get(target, key, target);
      // A method of the client finds itself, not the wrapper, as `this`: clients keep private members.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Makes a call and records what came of it, as the server gave it. */
async function observed(run: RunPort, call: () => Promise<unknown>, { subject, clock }: { readonly subject: { readonly call: string; readonly tool: string }; readonly clock: () => number }): Promise<unknown> {
  const { attempt, record } = shieldRun(run);
  const started = clock();
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    attempt("callTool", () => record(failureFact(subject, error, clock() - started)), false);
    throw error;
  }
  attempt("callTool", () => {
    const { isError } = membersOf(result);
    const fact = resultFact(subject, outputOf(result), clock() - started);
    return record(isError === true ? { ...fact, outcome: "error" } : fact);
  }, false);
  return result;
}

/** What a tool gave: its data when it gives some, its texts otherwise. */
function outputOf(result: unknown): unknown {
  const { structuredContent, content, toolResult } = membersOf(result);
  if (structuredContent !== undefined) return structuredContent;
  if (!Array.isArray(content)) return toolResult ?? "";
  return content.map((part) => textOf(membersOf(part))).join("\n");
}

function textOf({ type, text }: Members): string {
  return type === "text" && typeof text === "string" ? text : `[${String(type)}]`;
}

/** The tools of the phase the run is in. It is only looked at: listing tools is no turn. */
function rulesOf({ view }: RunPort): { readonly allow?: readonly string[]; readonly deny?: readonly string[] } | undefined {
  return view.mode === "gate" ? phaseSpec(view.graph, view.phase)?.tools : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null ? (value as Members) : {};
}
