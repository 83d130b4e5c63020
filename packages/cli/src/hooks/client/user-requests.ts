import { nameIn, toObject } from "@phasekit/core/adapter";
import type { HookSession } from "@phasekit/hooks";
import type { ListedSession, WaiveReply } from "../server/user-operations.ts";
import { askControl } from "./ask-control.ts";
import { hookPaths } from "./hook-paths.ts";

const LIMIT_MS = 1000;

/** Where to ask: Phasekit's folder, and which sessions are meant. */
export interface SessionChoice {
  /** @default `PHASEKIT_HOME`, or `.phasekit` in the user's home */
  readonly root?: string;
  readonly session?: string;
  /** The sessions of this folder, or of one above it. */
  readonly cwd?: string;
}

/** The session's state; undefined if there is no such session or no server. */
export async function readSessionStatus({ root, ...choice }: SessionChoice = {}): Promise<ListedSession | undefined> {
  const reply = await askControl(hookPaths(root), { op: "status", ...choice }, { limitMs: LIMIT_MS });
  return nameIn(toObject(reply)["mode"]) === undefined ? undefined : (reply as ListedSession);
}

/**
 * Lets the agent finish without a gate. The user's to give: with `byAgent`, or while a call of the agent that touches
 * its own gate is open, the waiver is refused and recorded. Resolves with undefined if there is no server.
 */
export async function waiveGate({
  root,
  ...request
}: SessionChoice & { readonly gate: string } & Parameters<HookSession["waive"]>[1]): Promise<WaiveReply | undefined> {
  const reply = await askControl(hookPaths(root), { op: "waive", ...request }, { limitMs: LIMIT_MS });
  const { waived, refused } = toObject(reply);
  return Array.isArray(waived) && Array.isArray(refused) ? { waived, refused } : undefined;
}
