// bun serve-bun.ts
import handler from "./handler.ts";

declare const Bun: { serve: (options: { port: number; fetch: typeof handler.fetch }) => { readonly port: number } };

console.log(`http://127.0.0.1:${Bun.serve({ port: 0, fetch: handler.fetch }).port}/`);
