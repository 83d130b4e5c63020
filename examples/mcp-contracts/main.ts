// An agent in any MCP host: it reads its contract, hands in half of it, gets the list of missing parts, tries to claim
// another story, fixes its work and advances. The official client plays the host. Runs offline.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const folder = mkdtempSync(join(tmpdir(), "phasekit-story-"));
// Beside the package's entry, built or not.
const entry = fileURLToPath(import.meta.resolve("@phasekit/mcp"));
const bin = join(dirname(entry), `bin${extname(entry)}`);
// The client starts the server with a small environment; options of Node are not in it.
const { NODE_OPTIONS } = process.env;
const options: Record<string, string> = NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS };
const file = fileURLToPath(new URL("./phasekit.mcp.ts", import.meta.url));
const client = new Client({ name: "some-host", version: "1.0.0" });
try {
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, file],
      env: { ...options, STORY_FOLDER: folder },
    }),
  );
  console.log(client.getInstructions());
  const { contents } = await client.readResource({ uri: "phasekit://contracts/research" });
  assert.match(JSON.stringify(contents), /It needs these sections/);

  const call = async (
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<{ refused: boolean; text: string }> => {
    const { content, isError = false } = await client.callTool({ name, arguments: input });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    console.log(`\n${name} ${isError ? "refused" : "ok"}\n${text.replaceAll(/^/gm, "  ")}`);
    return { refused: isError, text };
  };
  const hand = (text: string): void => {
    mkdirSync(join(folder, "docs/STORY-7"), { recursive: true });
    writeFileSync(join(folder, "docs/STORY-7/research.md"), text);
  };
  const claim = {
    completed_phase: "research",
    contract_version: 1,
    recommended_next_phase: "plan",
    summary: "The sort runs twice.",
  };

  hand("# Research\n\n## Problem\n\nThe list is sorted twice for every key that is pressed.\n");
  const early = await call("complete_phase", claim);
  const forged = await call("complete_phase", { ...claim, item_id: "STORY-8" });
  hand(
    "# Research\n\n## Problem\n\nThe list is sorted twice for every key that is pressed.\n\n" +
      "## Risks\n\nThe order of equal entries may change.\n",
  );
  const accepted = await call("complete_phase", claim);
  const status = await call("phase_status");

  assert.deepEqual([early.refused, forged.refused, accepted.refused], [true, true, false]);
  assert.match(early.text, /The section "Risks" is missing/);
  assert.match(forged.text, /serves only item "STORY-7"/);
  assert.match(status.text, /Phase "plan"/);
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
