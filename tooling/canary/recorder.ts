import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { Scene } from "./canary-agents.ts";

/** A hook call as an agent made it. */
export interface RecordedCall {
  readonly at: number;
  /** The event's name, for agents whose payload has none. */
  readonly event?: string;
  readonly payload: unknown;
}

/** Takes the place of our server, and answers nothing. Resolves with the function that ends it. */
export async function startRecorder(
  socketPath: string,
  config: string,
  recorded: RecordedCall[],
): Promise<() => Promise<void>> {
  const take = (text: string): void => {
    const { at = Date.now(), event, payload } = JSON.parse(text) as Partial<RecordedCall>;
    recorded.push({ at, ...(event !== undefined && { event }), payload });
  };
  const sockets = createServer({ allowHalfOpen: true }, (socket) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.at(-1) !== 0) return;
      take(Buffer.concat(chunks).toString("utf8").slice(0, -1));
      socket.end();
    });
  });
  const http = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      take(`{"payload":${Buffer.concat(chunks).toString("utf8")}}`);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  const { http: address } = JSON.parse(config) as { readonly http?: { readonly port: number } };
  await new Promise<void>((resolve) => sockets.listen(socketPath, resolve));
  if (address !== undefined)
    await new Promise<void>((resolve) => http.listen({ host: "127.0.0.1", port: address.port }, resolve));
  return async () => {
    await new Promise((resolve) => sockets.close(resolve));
    http.closeAllConnections();
    if (address !== undefined) await new Promise((resolve) => http.close(resolve));
  };
}

/** JSON whose folders and ids are equal on every machine. */
export function withEqualNames<T>(value: T, { home, project }: Pick<Scene, "home" | "project">): T {
  const ids = new Map<string, string>();
  const encoded = project.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const text = JSON.stringify(value)
    .replaceAll(project, "/home/user/project")
    .replaceAll(home, "/home/user")
    .replaceAll(encoded, "-home-user-project")
    .replaceAll(/(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:toolu|call|ses)_\w+)/g, (id) => {
      if (!ids.has(id)) ids.set(id, `id-${String(ids.size + 1)}`);
      return ids.get(id) ?? id;
    })
    .replaceAll(/PGID: \d+/g, "PGID: 1");
  return JSON.parse(text) as T;
}
