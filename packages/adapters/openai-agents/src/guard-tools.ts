import { failureToEvent, type LooseObject, readCall, resultToEvent, shieldRun, toObject } from "@phasekit/core/adapter";
import type { Invocation } from "./invocation.ts";
import { failureOf } from "./tool-failures.ts";

const ALLOW = { behavior: { type: "allow" } };
const guards = new WeakMap<object, { readonly invocation: Invocation; readonly original: unknown }>();

interface Guardrail {
  readonly type: "tool_input" | "tool_output";
  readonly name: string;
  readonly run: (data: unknown) => Promise<unknown>;
}

/**
 * Adds guardrails to function tools: a call the run refuses is not made, and every result is recorded as the tool
 * returned it. Other tools stay as they are. Guarding a tool again replaces the guard.
 */
export function guardTool(invocation: Invocation, tool: unknown): unknown {
  const known = typeof tool === "object" && tool !== null ? guards.get(tool) : undefined;
  if (known?.invocation === invocation) return tool;
  const definition = toObject(known?.original ?? tool);
  if (definition["type"] !== "function") return tool;
  const starts = new Map<string, number>();
  const guarded = {
    ...definition,
    inputGuardrails: [
      refusing(invocation, starts),
      ...guardrailsIn(definition["inputGuardrails"]).map((guardrail) => watchRejections(invocation, guardrail)),
    ],
    outputGuardrails: [recording(invocation, starts), ...guardrailsIn(definition["outputGuardrails"])],
  };
  guards.set(guarded, { invocation, original: known?.original ?? tool });
  return guarded;
}

function guardrailsIn(list: unknown): readonly Guardrail[] {
  return Array.isArray(list) ? (list as readonly Guardrail[]) : [];
}

interface NamedCall {
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
}

function callOf(data: unknown): NamedCall {
  const { callId, name, arguments: input } = toObject(toObject(data)["toolCall"]);
  return readCall(String(callId), String(name), typeof input === "string" ? input : "");
}

/** Refuses the calls the run refuses. The SDK passes the text to the model as the result. */
function refusing({ run, clock }: Invocation, starts: Map<string, number>): Guardrail {
  return {
    type: "tool_input",
    name: "phasekit",
    run: (data) => {
      const { attempt, beforeTool } = shieldRun(run);
      return Promise.resolve(
        attempt<object>(
          "tool.requested",
          () => {
            const { call, tool, input } = callOf(data);
            starts.set(call, clock());
            const answer = run.view.status === "running" ? beforeTool({ call, tool, input }) : { allow: true as const };
            return answer.allow ? ALLOW : { behavior: { type: "rejectContent", message: answer.text } };
          },
          ALLOW,
        ),
      );
    },
  };
}

/** Records the result of a call. */
function recording({ run, clock }: Invocation, starts: Map<string, number>): Guardrail {
  return {
    type: "tool_output",
    name: "phasekit",
    run: (data) => {
      const { attempt, record } = shieldRun(run);
      attempt(
        "tool.finished",
        () => {
          const { toolCall, output } = toObject(data);
          const { call, tool } = callOf(data);
          const started = starts.get(call);
          starts.delete(call);
          const durationMs = started === undefined ? undefined : clock() - started;
          const failure = failureOf(toolCall, output);
          record(
            failure === undefined
              ? resultToEvent({ call, tool }, output, durationMs)
              : failureToEvent({ call, tool }, failure.error, durationMs),
          );
        },
        undefined,
      );
      return Promise.resolve(ALLOW);
    },
  };
}

/** Records a call that a guardrail of the tool itself rejects. */
function watchRejections({ run }: Invocation, guardrail: Guardrail): Guardrail {
  return {
    ...guardrail,
    run: async (data) => {
      const result = await guardrail.run(data);
      const { attempt } = shieldRun(run);
      attempt("guardrail", () => recordRejection(run, callOf(data), toObject(toObject(result)["behavior"])), undefined);
      return result;
    },
  };
}

function recordRejection(run: Invocation["run"], { call, tool }: NamedCall, { type, message }: LooseObject): void {
  if (type === "allow") return;
  shieldRun(run).record({
    type: "tool.finished",
    call,
    tool,
    outcome: "denied",
    ...(typeof message === "string" && { output: message }),
  });
}
