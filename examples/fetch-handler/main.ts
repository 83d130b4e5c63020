// An agent behind a fetch handler. `npx --yes pnpm@12 tarballs` serves the same handler with workerd, Bun and Deno.
import assert from "node:assert/strict";
import handler from "./handler.ts";

async function ask(prompt: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await handler.fetch(
    new Request("http://localhost/", { method: "POST", body: JSON.stringify({ prompt }) }),
  );
  return { status: response.status, body: await response.json() };
}

const answers = await Promise.all([ask("How long is README.md?"), ask("Fail.")]);
console.log(answers);
assert.deepEqual(answers, [
  { status: 200, body: { text: "It has 12 lines.", reason: "done", turns: 2, calls: 1 } },
  { status: 502, body: { reason: "upstream_unhealthy", turns: 1 } },
]);
