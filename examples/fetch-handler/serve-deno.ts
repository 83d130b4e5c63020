// deno run --allow-net --allow-env serve-deno.ts
import handler from "./handler.ts";

interface Address {
  readonly port: number;
}
declare const Deno: {
  serve: (options: { port: number; onListen: (address: Address) => void }, fetch: typeof handler.fetch) => unknown;
};

Deno.serve({ port: 0, onListen: ({ port }) => console.log(`http://127.0.0.1:${port}/`) }, handler.fetch);
