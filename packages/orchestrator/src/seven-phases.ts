import type { ConversationOptions } from "./conversation/conversation-options.ts";
import { modelInitialPhase } from "./phases/initial-phase.ts";
import { phaseFallback } from "./phases/phase-fallback.ts";
import { type AskModel, modelRouter } from "./rounds/router.ts";

/** Options for `sevenPhases()`: agents, perhaps a model, and every other option of a conversation. */
export interface SevenPhasesOptions extends Omit<ConversationOptions, "graph" | "router"> {
  /**
   * Asks the model that routes and that chooses the phase of a new request.
   *
   * @default no model: every request begins in `execute`, and `phaseFallback` routes
   */
  readonly ask?: AskModel;
  /** @default modelRouter(ask), or phaseFallback */
  readonly router?: ConversationOptions["router"];
}

/**
 * A team on the seven phases chat, brainstorm, plan, execute, verification, chores and reflection: options for
 * `createConversation` and `recoverConversation`. A router by model or function chooses agents and phases;
 * verification, chores and reflection are owed before END; every participant reflects once.
 *
 * @example
 * const conversation = createConversation(sevenPhases({ agents, ask: (prompt) => complete(prompt) }));
 */
export function sevenPhases({ ask, ...options }: SevenPhasesOptions): ConversationOptions {
  return {
    router: ask === undefined ? phaseFallback : modelRouter(ask),
    initialPhase: ask === undefined ? "execute" : modelInitialPhase(ask),
    ...options,
  };
}
