import { nameIn, numberIn } from "@phasekit/core/adapter";
import { listenForRequests } from "../../packages/cli/src/hooks/server/listen-for-requests.ts";
import type { Scene } from "./canary-agents.ts";

/** A hook call as an agent made it. */
export interface RecordedCall {
  readonly at: number;
  /** The event's name, for agents whose payload has none. */
  readonly event?: string;
  readonly payload: unknown;
}

const MAX_BODY = 40 * 1024 * 1024;

/** Takes the place of our server, and answers nothing. Resolves with the function that ends it. */
export async function startRecorder(address: string, recorded: RecordedCall[]): Promise<() => Promise<void>> {
  const { close } = await listenForRequests({
    address,
    key: "",
    maxBody: MAX_BODY,
    handle: (head, body) => {
      const event = nameIn(head["event"]);
      const payload = JSON.parse(body.toString("utf8")) as unknown;
      recorded.push({ at: numberIn(head["at"]) ?? Date.now(), ...(event !== undefined && { event }), payload });
      return Promise.resolve({ text: "" });
    },
  });
  return close;
}

/** JSON whose folders and ids are equal on every machine. */
export function withEqualNames<T>(value: T, { home, project }: Pick<Scene, "home" | "project">): T {
  const ids = new Map<string, string>();
  const encoded = project.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const text = JSON.stringify(value)
    .replaceAll(project, "/home/user/project")
    .replaceAll(home, "/home/user")
    .replaceAll(encoded, "-home-user-project")
    .replaceAll(
      /(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:toolu|call|ses)_(?!id\b)\w+)/g,
      (id) => {
        if (!ids.has(id)) ids.set(id, `id-${String(ids.size + 1)}`);
        return ids.get(id) ?? id;
      },
    )
    .replaceAll(/PGID: \d+/g, "PGID: 1");
  return JSON.parse(text) as T;
}
