import type { PhaseSpec, PlainTool, PlainToolResult, Run } from "@phasekit/core";
import { isOffered, phaseSpec } from "@phasekit/core/adapter";
import type { AgentContext, AgentResult, AgentSpec } from "./agent.ts";
import { lessonLearned } from "../conversation/conversation-events.ts";
import type { ConversationRuntime } from "../conversation/conversation-runtime.ts";
import { handOffOf, renderHandOff } from "./hand-off.ts";
import { renderHistory } from "../conversation/history.ts";
import { phaseFragments, type PromptFragment, renderPrompt } from "../phases/phase-fragments.ts";
import { completeTool, lessonTool } from "../phases/phase-tools.ts";
import type { Round } from "../rounds/round.ts";
import type { AgentSignal } from "../conversation/runtime-defaults.ts";

/** The parts of an agent's context that change from call to call. */
export interface Engagement {
  readonly round: Round;
  readonly run: Run;
  readonly signal: AgentSignal;
  readonly attempt: number;
  readonly reminder: string | undefined;
  /** Receives the result the agent passes to the `complete` tool. */
  readonly done: (result: AgentResult) => void;
}

/** Builds the context that an agent's `work` receives. */
export function agentContext(runtime: ConversationRuntime, spec: AgentSpec, engagement: Engagement): AgentContext {
  const { run: conversation, settings, lease } = runtime;
  const { round, run, signal, attempt, reminder } = engagement;
  const { phase } = round;
  const phaseNow: PhaseSpec = phaseSpec(settings.graph, phase) ?? { next: [] };
  const handOff = handOffOf(runtime.state().moves.at(-1), { now: round.openedAt, windowMs: settings.handOffWindowMs });
  // The history in prompts is most of the cost of a round, and an agent may not read it.
  let fragments: readonly PromptFragment[] | undefined;
  const readFragments = (): readonly PromptFragment[] =>
    (fragments ??=
      reminder === undefined
        ? briefing(runtime, spec, { round, handOff })
        : [{ kind: "reminder" as const, priority: 60, text: reminder }]);
  const tools = toolsFor(runtime, spec, { ...engagement, phaseNow });
  return {
    conversation: conversation.id,
    round: round.round,
    agent: spec.name,
    phase,
    previousPhase: conversation.view.previousPhase,
    request: requestOf(runtime),
    reason: round.reason,
    handOff,
    get fragments() {
      return readFragments();
    },
    get prompt() {
      return renderPrompt(readFragments());
    },
    model: phaseNow.model,
    tools,
    allows: (tool) => isOffered(phaseNow.tools, tool),
    call: (tool, input) => callTool(run, tools, { tool, input }),
    run,
    signal,
    lease: lease?.lease,
    attempt,
    reminder,
  };
}

/** The request of the user: their last message, or the task of the conversation. */
export function requestOf({ run, state }: ConversationRuntime): string {
  return state().request ?? run.view.task?.text ?? "";
}

function briefing(
  runtime: ConversationRuntime,
  spec: AgentSpec,
  { round, handOff }: { readonly round: Round; readonly handOff: AgentContext["handOff"] },
): readonly PromptFragment[] {
  const { settings } = runtime;
  const state = runtime.state();
  const seen = spec.remembers === false ? undefined : state.seen.get(spec.name);
  const history = renderHistory(state, settings.history);
  return [
    ...phaseFragments(settings.graph, round.phase, { agent: spec.name, type: spec.type, seen }),
    ...(history === "" ? [] : [{ kind: "history" as const, priority: 30, text: `So far:\n${history}` }]),
    ...(handOff === undefined ? [] : [{ kind: "hand-off" as const, priority: 40, text: renderHandOff(handOff) }]),
    { kind: "reason", priority: 50, text: `You were chosen because: ${round.reason}` },
  ];
}

function toolsFor(
  runtime: ConversationRuntime,
  spec: AgentSpec,
  { round, run, done, phaseNow }: Engagement & { readonly phaseNow: PhaseSpec },
): readonly PlainTool[] {
  const { settings, run: conversation } = runtime;
  const { phase } = round;
  const own =
    typeof spec.tools === "function"
      ? spec.tools({ phase, previousPhase: conversation.view.previousPhase, agent: spec.name })
      : (spec.tools ?? []);
  const learn = (text: string): void => {
    conversation.record(lessonLearned.record({ agent: spec.name, phase, text, from: "reflection" }));
    run.record({ type: "progress.made", what: "a lesson" });
  };
  return [
    ...own.filter(({ name }) => isOffered(phaseNow.tools, name)),
    completeTool({ graph: settings.graph, phase, verification: settings.verification, done }),
    ...(settings.lessonPhases.includes(phase)
      ? [lessonTool({ phase, known: () => runtime.state().lessons, learn })]
      : []),
  ];
}

async function callTool(
  run: Run,
  tools: readonly PlainTool[],
  { tool, input }: { readonly tool: string; readonly input: unknown },
): Promise<PlainToolResult> {
  const answer = run.beforeTool({ tool, input: input ?? {} });
  if (!answer.allow) return { ok: false, text: answer.text };
  const known = tools.find(({ name }) => name === tool);
  if (known === undefined)
    return finished(run, answer.call, {
      ok: false,
      text: `There is no tool "${tool}". Use one of: ${tools.map(({ name }) => name).join(", ")}.`,
    });
  try {
    return finished(run, answer.call, await known.execute(input ?? {}));
  } catch (error) {
    run.record({ type: "tool.finished", call: answer.call, outcome: "error", output: String(error) });
    throw error;
  }
}

function finished(run: Run, call: string, result: PlainToolResult): PlainToolResult {
  run.record({ type: "tool.finished", call, outcome: result.ok ? "ok" : "error", output: result.text });
  return result;
}
