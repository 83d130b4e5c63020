import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A network between a pool and a server, with faults on demand. */
export interface FaultyNetwork {
  /** Whom new connections reach from now on. */
  readonly lead: (port: number) => void;
  /** Ends all connections at once. */
  readonly cut: () => void;
  /** New connections are refused from now on, or taken again. */
  readonly isDown: (down: boolean) => void;
  /** The next question that holds the text reaches the server, but the connection breaks before the answer is back. */
  readonly swallowAnswerTo: (text: string) => void;
  /** Answers that were swallowed. */
  readonly swallowed: () => number;
  /** The address of a server as it is reached through this network. */
  readonly address: (url: string) => string;
  readonly close: () => Promise<void>;
}

export async function startFaultyNetwork(port: number): Promise<FaultyNetwork> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let target = port;
  let down = false;
  let wanted: string | undefined;
  let swallowed = 0;
  const server = createServer((client) => {
    if (down) return void client.destroy();
    const upstream = connect(target, "127.0.0.1");
    const pair = [client, upstream] as const;
    pairs.add(pair);
    let isSwallowing = false;
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    client.on("data", (bytes) => {
      if (wanted !== undefined && bytes.includes(wanted)) {
        wanted = undefined;
        isSwallowing = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!isSwallowing) return void client.write(bytes);
      swallowed += 1;
      end();
    });
    for (const socket of pair) socket.on("error", end).on("close", end);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = (server.address() as AddressInfo).port;
  const cut = (): void => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    lead: (to) => (target = to),
    cut,
    isDown: (now) => (down = now),
    swallowAnswerTo: (text) => (wanted = text),
    swallowed: () => swallowed,
    address: (url) => {
      const through = new URL(url);
      through.port = String(own);
      return through.href;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
