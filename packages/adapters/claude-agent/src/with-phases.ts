import { assertRunFirst, endOwnRun, type LooseObject, runFrom, type RunSource, toObject } from "@phasekit/core/adapter";
import { hookAgents } from "@phasekit/hooks";
import { type AgentSession, createAgentSession, type PhaseOptions } from "./agent-session.ts";
import { watchMessages, type WatchedQuery } from "./watch-messages.ts";

/** A query, passed to the function that returns its run. */
export interface QueryContext {
  readonly prompt?: unknown;
  readonly options: LooseObject;
}

type QueryFunction = (parameters: { readonly prompt: never; readonly options?: never }) => object;

/**
 * Returns a `query` function of the Claude Agent SDK that records its queries in a run and applies the run's answers:
 * nudges, refusals, vetoes, stops. Your hooks and your `canUseTool` stay and run beside those of Phasekit.
 *
 * @example
 * const ask = withPhases(run, query);
 * for await (const message of ask({ prompt, options })) console.log(message.type);
 * @throws RUN_ENDED from a query if the run has ended.
 */
export function withPhases<TQuery extends QueryFunction>(
  source: RunSource<QueryContext>,
  query: TQuery,
  options?: PhaseOptions,
): TQuery;
/**
 * Returns the options of a query with Phasekit's hooks beside yours, for callers that do not call `query` themselves.
 * Hooks alone do not show the answers of the model: usage, finish reasons and the reason of the result stay unknown.
 */
export function withPhases<TOptions extends object>(
  source: RunSource<QueryContext>,
  options: TOptions,
  phaseOptions?: PhaseOptions,
): TOptions;
export function withPhases(source: RunSource<QueryContext>, target: object, options: PhaseOptions = {}): object {
  assertRunFirst(source, target);
  if (typeof target !== "function")
    return withHooks(createAgentSession(runFrom(source, { options: toObject(target) }), options), target, options);
  const original = target as (parameters: object) => WatchedQuery;
  return (parameters: { readonly prompt?: unknown; readonly options?: object }): WatchedQuery => {
    const given = toObject(parameters.options);
    const run = runFrom(source, { prompt: parameters.prompt, options: given });
    const session = createAgentSession(run, options);
    const hidePartial = (options.partialMessages ?? true) && given["includePartialMessages"] !== true;
    const query = original({
      ...parameters,
      options: { ...withHooks(session, given, options), ...(hidePartial && { includePartialMessages: true }) },
    });
    const isAborted = (): boolean => toObject(toObject(given["abortController"])["signal"])["aborted"] === true;
    const endOwn = (error: unknown): void => endOwnRun(source, run, error === undefined ? {} : { error });
    return watchMessages(session, query, { hidePartial, isAborted, endOwn });
  };
}

type CanUseTool = (tool: string, input: unknown, context: PermissionContext) => Promise<unknown>;

interface PermissionContext {
  readonly toolUseID?: string;
  readonly agentID?: string;
}

/** A review may wait for a person. Without a timeout, Claude Code waits a minute for a hook. */
const REVIEW_SECONDS = 86_400;

function withHooks(session: AgentSession, options: object, { reviewer }: PhaseOptions): object {
  const { hooks, canUseTool } = toObject(options);
  const matcher = {
    hooks: [(payload: unknown): Promise<object> => session.handleHook(toObject(payload))],
    ...(reviewer !== undefined && { timeout: REVIEW_SECONDS }),
  };
  const theirs = toObject(hooks);
  const ours = Object.keys(hookAgents["claude-code"].events).map((event) => [
    event,
    [...(Array.isArray(theirs[event]) ? (theirs[event] as unknown[]) : []), matcher],
  ]);
  return {
    ...options,
    hooks: { ...theirs, ...(Object.fromEntries(ours) as object) },
    ...(typeof canUseTool === "function" && { canUseTool: watchPermission(session, canUseTool as CanUseTool) }),
  };
}

/** Records what the user's own function denies. */
function watchPermission(session: AgentSession, canUseTool: CanUseTool): CanUseTool {
  return async (tool, input, context) => {
    const answer = await canUseTool(tool, input, context);
    const { behavior, message } = toObject(answer);
    const { toolUseID: call, agentID: agent } = context;
    if (behavior === "deny" && call !== undefined) {
      const thread = agent === undefined ? session.main : session.children.open({ id: agent });
      session.finished({ call, tool, outcome: "denied", output: message, thread });
    }
    return answer;
  };
}
