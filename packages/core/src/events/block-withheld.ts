import { defineEvent, type EventDefinition } from "./define-event.ts";

/** Recorded by a host that let an agent continue although a gate or a policy held it back: nothing reached the agent. */
export const blockWithheld: EventDefinition<{ readonly block: "refuse" | "veto"; readonly why: string }> =
  /* @__PURE__ */ defineEvent("hooks.block-withheld");
