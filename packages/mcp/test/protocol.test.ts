import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRun, definePolicy, refuse, type RunEvent } from "@phasekit/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serveHttp } from "../src/node.ts";
import { clientKinds, type ClientKind, type Connected } from "./clients.ts";
import { ITEM, openWorkshop, RUN } from "./workshop.ts";

const TOKEN = "a-token-that-nobody-guesses";
const BIN = fileURLToPath(new URL("../src/bin.ts", import.meta.url));
const SERVER = fileURLToPath(new URL("./workshop-server.ts", import.meta.url));
const CLAIM = {
  completed_phase: "research",
  contract_version: 1,
  recommended_next_phase: "plan",
  summary: "Found it.",
};

let folder: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "phasekit-mcp-"));
  mkdirSync(join(folder, `docs/${ITEM}`), { recursive: true });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

const HALF = "# Research\n\n## Problem\n\nThe list is slow, and it has been slow for long.\n";
const WHOLE = `${HALF}\n## Risks\n\nNone that we know of.\n`;
const write = (text: string): void => writeFileSync(join(folder, `docs/${ITEM}/research.md`), text);

/** The program, started as a host starts it. */
async function overStdio({ connect }: ClientKind): Promise<Connected> {
  const client = await connect({ args: [BIN, SERVER], env: { WORKSHOP_FOLDER: folder } });
  closing.push(client.close);
  return client;
}

/** A server on this machine. */
async function overHttp({ connect }: ClientKind): Promise<Connected> {
  const { definition } = await openWorkshop(folder);
  const { url, close } = await serveHttp(definition, { token: TOKEN });
  closing.push(close);
  const client = await connect({ url, token: TOKEN });
  closing.push(client.close);
  return client;
}

const ways = clientKinds.flatMap((kind) => [
  { way: "stdio", client: kind.name, open: () => overStdio(kind) },
  { way: "HTTP", client: kind.name, open: () => overHttp(kind) },
]);

describe.each(ways)("$client over $way", ({ way, open }) => {
  it("complete_phase names missing sections and accepts the claim once they exist", async () => {
    const { call } = await open();
    write(HALF);
    const refused = await call("complete_phase", CLAIM);
    expect(refused.isError).toBe(true);
    expect(refused.text).toBe(
      [
        "The phase is not complete yet. Fix this and call complete_phase again:",
        '- The section "Risks" is missing. Add the heading "## Risks".',
      ].join("\n"),
    );
    expect(refused.data).toMatchObject({ ok: false, outcome: "rejected", text: refused.text });
    expect((await call("phase_status")).data).toMatchObject({ phase: "research" });

    write(WHOLE);
    const accepted = await call("complete_phase", CLAIM);
    expect(accepted).toMatchObject({ isError: false, data: { ok: true, outcome: "advanced", phase: "plan" } });
    expect((await call("phase_status")).text).toContain('Phase "plan"');
  });

  it("the server refuses a call that names another item or run, and malformed input, and keeps serving", async () => {
    const { call } = await open();
    write(WHOLE);
    const foreign = await call("complete_phase", { ...CLAIM, item_id: "STORY-8" });
    expect(foreign).toMatchObject({
      isError: true,
      text: `This server serves only item "${ITEM}". Leave the item out.`,
    });
    expect(await call("why_stopped", { run: "run-2" })).toMatchObject({
      isError: true,
      text: `This server serves only run "${RUN}". Leave the run out.`,
    });
    // Its own id may be named where a tool takes one.
    expect(await call("why_stopped", { run: RUN })).toMatchObject({ isError: false });
    const malformed = await call("complete_phase", { completed_phase: 7, contract_version: "one" });
    expect(malformed.isError).toBe(true);
    expect(malformed.text).toContain("The claim is invalid");
    const oversized = await call("complete_phase", { ...CLAIM, summary: "x".repeat(6000) });
    expect(oversized).toMatchObject({ isError: true, data: { outcome: "invalid" } });
    expect(oversized.text).toContain("the limit is 5000");
    await expect(call("delete_everything")).rejects.toThrow(/There is no tool "delete_everything"/);
    // None of it moved the item.
    expect((await call("phase_status")).data).toMatchObject({ phase: "research" });
  });

  it("the server offers a fixed list of tools, contracts as resources, and the status of the phase", async () => {
    const client = await open();
    const before = await client.tools();
    expect(before.map(({ name }) => name)).toEqual(["complete_phase", "phase_status", "why_stopped", "ask_for_help"]);
    expect(before.every(({ inputSchema }) => (inputSchema as { type?: string }).type === "object")).toBe(true);
    write(WHOLE);
    await client.call("complete_phase", CLAIM);
    expect(await client.tools()).toEqual(before);
    expect(await client.resources()).toEqual(["phasekit://contracts/research", "phasekit://contracts/plan"]);
    expect(await client.read("phasekit://contracts/plan")).toContain(`Write the artifact to \`docs/${ITEM}/plan.md\``);
    await expect(client.read("phasekit://contracts/secret")).rejects.toThrow();
    expect(client.instructions()).toBe(`You work on ${ITEM}, in phase "research".`);
    expect(await client.call("ask_for_help", { question: "The disk is full. What now?" })).toMatchObject({
      isError: false,
      text: "Free some space first.",
    });
  });

  if (way === "stdio")
    it("the program ends with its client and calls close", async () => {
      const client = await open();
      await client.call("phase_status");
      await client.close();
      // A client may start the program twice: once to ask which protocol it speaks.
      await expect
        .poll(() => existsSync(join(folder, "closed.txt")) && readFileSync(join(folder, "closed.txt"), "utf8"), {
          timeout: 600_000,
        })
        .toMatch(/^(?:done\n){1,2}$/);
    });
});

describe.each(clientKinds)("a run behind $name", ({ connect }) => {
  it("withPhases refuses before the server is called, and records what the server refuses", async () => {
    const { definition, events: ofServer } = await openWorkshop(folder);
    const { url, close } = await serveHttp(definition, { token: TOKEN });
    closing.push(close);
    const noHelp = definePolicy({
      name: "no-help",
      decide: {
        "tool.requested": (_run, _state, { tool }) =>
          tool === "ask_for_help" ? refuse("Try it yourself first.") : undefined,
      },
    });
    const run = createRun({ mode: "gate", policies: [noHelp] });
    const events: RunEvent[] = [];
    run.subscribe((step) => events.push(...step));
    const client = await connect({ url, token: TOKEN, run });
    closing.push(client.close);

    expect(await client.call("ask_for_help", { question: "How?" })).toMatchObject({
      isError: true,
      text: "Try it yourself first.",
    });
    expect(ofServer.some(({ type }) => type === "question.asked")).toBe(false);
    expect((await client.call("complete_phase", CLAIM)).isError).toBe(true);
    expect((await client.call("phase_status")).data).toMatchObject({ phase: "research" });
    expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([
      { tool: "complete_phase", outcome: "error", output: { ok: false, outcome: "rejected" } },
      { tool: "phase_status", outcome: "ok", output: { ok: true, phase: "research" } },
    ]);
    // The rest of the client works through the wrapper.
    expect(await client.tools()).toHaveLength(4);
  });
});
