import { type LooseObject, nameIn } from "@phasekit/core/adapter";
import type { SessionStatus } from "@phasekit/hooks";
import { isInside } from "../../config/find-config.ts";
import type { OpenSession } from "./open-sessions.ts";
import type { SessionTable } from "./session-table.ts";

/** A session as the server lists it. */
export interface ListedSession extends SessionStatus {
  readonly session: string;
  readonly agent: string;
  readonly cwd?: string;
}

/** The sessions a waiver counts for, and those that refused it because their agent asked; as ids of their runs. */
export interface WaiveReply {
  readonly waived: readonly string[];
  readonly refused: readonly string[];
}

/** Answers the user's commands. */
export interface UserOperations {
  readonly listed: () => readonly ListedSession[];
  readonly operate: (request: LooseObject) => Promise<unknown>;
}

/** Creates the operations on the open sessions. */
export function createUserOperations({
  sessions,
  settle,
}: {
  readonly sessions: SessionTable<OpenSession>;
  /** Waits until the store has what a session recorded. */
  readonly settle: (key: string) => Promise<unknown>;
}): UserOperations {
  function listed(): readonly ListedSession[] {
    return sessions.newestFirst().map(([key, { session, agent, cwd }]) => ({
      session: key.slice(agent.length + 1),
      agent,
      ...(cwd !== undefined && { cwd }),
      ...session.status(),
    }));
  }

  /** The sessions a question is about, the newest first: the named one, else those of the folder or one above it. */
  function chosen({ session, cwd }: LooseObject): readonly ListedSession[] {
    if (typeof session === "string") return listed().filter((one) => one.session === session);
    if (typeof cwd !== "string") return listed();
    return listed().filter((one) => one.cwd !== undefined && isInside(cwd, one.cwd));
  }

  function waive(request: LooseObject): WaiveReply {
    const gate = nameIn(request["gate"]);
    const reason = nameIn(request["reason"]);
    const reply: Record<"waived" | "refused", string[]> = { waived: [], refused: [] };
    if (gate === undefined || reason === undefined) return reply;
    for (const { agent, session } of chosen(request)) {
      const open = sessions.get(`${agent}-${session}`)?.session;
      const byAgent = request["byAgent"] === true;
      if (open !== undefined) reply[open.waive(gate, { reason, byAgent })].push(`${agent}-${session}`);
    }
    return reply;
  }

  return {
    listed,
    operate: async (request) => {
      switch (request["op"]) {
        case "status":
          return chosen(request)[0] ?? null;
        case "waive": {
          const reply = waive(request);
          await Promise.all(reply.waived.map(settle));
          return reply;
        }
        case "ping":
          return { pid: process.pid, sessions: sessions.size() };
        default:
          return null;
      }
    },
  };
}
