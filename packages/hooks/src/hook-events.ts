import { defineEvent } from "@phasekit/core";
import type { WithheldWhy } from "./block-guard.ts";

/** A policy wanted to hold the agent back, and the guard let the agent continue. */
export const blockWithheld = defineEvent<{ readonly block: "refuse" | "veto"; readonly why: WithheldWhy }>(
  "hooks.block-withheld",
);

/** The agent was held back: a call was refused, or a finish vetoed. `text` is the hash of what the agent read. */
export const blocked = defineEvent<{ readonly block: "refuse" | "veto"; readonly text: string }>("hooks.blocked");

/** The agent tried to change its own gate. */
export const gateTouched = defineEvent<{ readonly tool: string; readonly what: string }>("hooks.gate-touched");

/** The agent got a checkpoint, because it had lost its context. `text` is the hash of what it read. */
export const checkpointGiven = defineEvent<{ readonly text: string }>("hooks.checkpoint");

/** The agent heard what its sub-agents left open. `text` is the hash of what it read. */
export const subagentLeft = defineEvent<{ readonly text: string }>("hooks.subagent-left");
