import type { RunPort } from "@phasekit/core";
import {
  failureToEvent,
  isOffered,
  type LooseObject,
  phaseSpec,
  resultToEvent,
  runFrom,
  type RunSource,
  shieldRun,
  systemClock,
  toObject,
} from "@phasekit/core/adapter";

/** The part of an MCP client that `withPhases` uses. The clients of every official SDK fit. */
interface AnyClient {
  readonly callTool: (params: never, ...rest: never[]) => Promise<unknown>;
  readonly listTools?: (...rest: never[]) => Promise<unknown>;
}

/** A tool call, as passed to a function that picks the run. */
export interface ClientCallContext {
  readonly tool: string;
  readonly input: unknown;
}

/** Options for `withPhases()`. All optional. */
export interface PhaseClientOptions {
  /** Name of a tool in the run, such as `docs__search` if there are several servers. @default its own name */
  readonly toolName?: (name: string) => string;
  /** Lists only the tools of the phase, in mode `gate`. Calls are refused either way. @default false */
  readonly hideTools?: boolean;
  /** @default the machine's clock */
  readonly clock?: () => number;
}

/**
 * Wraps an MCP client so that a run guards and records its tool calls. A refused call answers with the refusal and does
 * not reach the server. Everything else about the client stays as it is.
 *
 * @example
 * const client = withPhases(run, new Client({ name: "agent", version: "1" }));
 * @throws RUN_ENDED from a call if the run has ended
 */
export function withPhases<TClient extends AnyClient>(
  source: RunSource<ClientCallContext>,
  client: TClient,
  { toolName = (name) => name, hideTools = false, clock = systemClock }: PhaseClientOptions = {},
): TClient {
  async function callTool(params: unknown, ...rest: unknown[]): Promise<unknown> {
    const { name, arguments: input = {} } = toObject(params);
    const tool = toolName(String(name));
    const run = runFrom(source, { tool, input });
    const answer = shieldRun(run).beforeTool({ tool, input });
    if (!answer.allow) return { content: [{ type: "text", text: answer.text }], isError: true };
    const call = () =>
      (client.callTool as (params: unknown, ...more: unknown[]) => Promise<unknown>).call(client, params, ...rest);
    return await observeCall(run, call, { subject: { call: answer.call, tool }, clock });
  }

  async function listTools(...rest: unknown[]): Promise<unknown> {
    const list = client.listTools as (...more: unknown[]) => Promise<unknown>;
    const listed = await list.apply(client, rest);
    const { tools } = toObject(listed);
    if (!Array.isArray(tools)) return listed;
    const rules = rulesOf(runFrom(source, { tool: "", input: undefined }));
    return {
      ...toObject(listed),
      tools: tools.filter((tool) => isOffered(rules, toolName(String(toObject(tool)["name"])))),
    };
  }

  return new Proxy(client, {
    get: (target, key) => {
      if (key === "callTool") return callTool;
      if (key === "listTools" && hideTools && target.listTools !== undefined) return listTools;
      const member: unknown = Reflect.get(target, key, target);
      // `this` is the client, not the proxy: clients have private members.
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** Makes a call and records its result as the server returned it. */
async function observeCall(
  run: RunPort,
  call: () => Promise<unknown>,
  {
    subject,
    clock,
  }: { readonly subject: { readonly call: string; readonly tool: string }; readonly clock: () => number },
): Promise<unknown> {
  const { attempt, record } = shieldRun(run);
  const started = clock();
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    attempt("callTool", () => record(failureToEvent(subject, error, clock() - started)), false);
    throw error;
  }
  attempt(
    "callTool",
    () => {
      const { isError } = toObject(result);
      const event = resultToEvent(subject, outputOf(result), clock() - started);
      return record(isError === true ? { ...event, outcome: "error" } : event);
    },
    false,
  );
  return result;
}

/** The output of a tool: its structured content if there is any, its texts otherwise. */
function outputOf(result: unknown): unknown {
  const { structuredContent, content, toolResult } = toObject(result);
  if (structuredContent !== undefined) return structuredContent;
  if (!Array.isArray(content)) return toolResult ?? "";
  return content.map((part) => textOf(toObject(part))).join("\n");
}

function textOf({ type, text }: LooseObject): string {
  return type === "text" && typeof text === "string" ? text : `[${String(type)}]`;
}

/** The tool rules of the current phase. Reads the view only: listing tools is not a turn. */
function rulesOf({
  view,
}: RunPort): { readonly allow?: readonly string[]; readonly deny?: readonly string[] } | undefined {
  return view.mode === "gate" ? phaseSpec(view.graph, view.phase)?.tools : undefined;
}
