import type { RunEvent } from "@phasekit/core";
import type { AgentContext, AgentResult, AgentSpec } from "../agents/agent.ts";
import { type Conversation, createConversation } from "../conversation/conversation.ts";
import type { ConversationOptions, ConversationPhase } from "../conversation/conversation-options.ts";
import type { RoutingRequest } from "../rounds/router.ts";
import type { RoutingDecision } from "../rounds/routing-decision.ts";
import { virtualTime, type VirtualTime } from "./virtual-time.ts";

/** A conversation whose router plays decisions in order, with its log, its time, and every request and context. */
export interface ScriptedConversation<TPhase extends string = ConversationPhase> {
  readonly conversation: Conversation<TPhase>;
  readonly log: RunEvent[];
  readonly time: VirtualTime;
  readonly requests: RoutingRequest[];
  readonly contexts: AgentContext[];
  /** The data of the events of one kind. */
  readonly dataOf: <T>(kind: {
    readonly is: (event: RunEvent) => event is RunEvent & { readonly data: T };
  }) => readonly T[];
  readonly of: (type: RunEvent["type"]) => readonly RunEvent[];
}

export type ScriptedOptions<TPhase extends string> = Partial<Omit<ConversationOptions<TPhase>, "router">> & {
  /** The router's decisions, in order; then END. */
  readonly decisions?: readonly (RoutingDecision | string | ((request: RoutingRequest) => RoutingDecision | string))[];
  readonly work?: Readonly<
    Record<
      string,
      (context: AgentContext) => AgentResult | string | undefined | Promise<AgentResult | string | undefined>
    >
  >;
};

export const AGENT_NAMES = ["project-manager", "planner", "executor"] as const;

export function scripted<const TPhase extends string = ConversationPhase>({
  decisions = [],
  work = {},
  ...options
}: ScriptedOptions<TPhase> = {}): ScriptedConversation<TPhase> {
  const time = virtualTime();
  const log: RunEvent[] = [];
  const requests: RoutingRequest[] = [];
  const contexts: AgentContext[] = [];
  const agents: readonly AgentSpec[] = (
    options.agents ??
    AGENT_NAMES.map((name) => ({
      name,
      work: ({ phase }: AgentContext): AgentResult => ({
        text: `${name} did it`,
        summary: `${name} is done`,
        ...(phase === "verification" && { passed: true }),
      }),
    }))
  ).map((agent) => ({
    ...agent,
    work: (context) => {
      contexts.push(context);
      return (work[agent.name] ?? agent.work)(context);
    },
  }));
  const queue = [...decisions];
  const conversation = createConversation<TPhase>({
    id: "talk",
    clock: time.clock,
    schedule: time.schedule,
    ...options,
    agents,
    router: (request) => {
      requests.push(request);
      const next = queue.shift() ?? { agents: ["END"], reason: "nothing is left" };
      return typeof next === "function" ? next(request) : next;
    },
  });
  conversation.run.subscribe((step) => log.push(...step));
  return {
    conversation,
    log,
    time,
    requests,
    contexts,
    dataOf: (kind) => log.filter(kind.is).map(({ data }) => data),
    of: (type) => log.filter((event) => event.type === type),
  };
}

/** A promise and the function that settles it. */
export function latch<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    open = settle;
  });
  return { promise, open: (value) => open(value) };
}
