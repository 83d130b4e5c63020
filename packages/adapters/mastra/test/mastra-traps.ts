import { Agent } from "@mastra/core/agent";
import type { ProcessLLMRequestArgs } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import {
  budget,
  createRun,
  definePhaseGraph,
  definePolicy,
  nudge,
  refuse,
  type RunEvent,
  type RunPort,
  trackRun,
  veto,
} from "@phasekit/core";
import { type OpenAiServer, seenRequest, startOpenAiServer } from "@phasekit/tooling/openai-server";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { phaseStep, toMastraTools, withPhases } from "../src/index.ts";

let server: OpenAiServer | undefined;
afterEach(async () => {
  const complaints = server?.complaints ?? [];
  await server?.close();
  server = undefined;
  expect(complaints).toEqual([]);
});

const look = { calls: [{ tool: "look", input: { path: "a.ts" } }] };
const done = { text: "Done." };

function eventsOf(run: Pick<RunPort, "subscribe">): RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => void events.push(...step));
  return events;
}

async function setUp(answers: Parameters<typeof startOpenAiServer>[0], config: object = {}) {
  server = await startOpenAiServer(answers);
  const made: unknown[] = [];
  const lookTool = createTool({
    id: "look",
    description: "Reads a file.",
    inputSchema: z.object({ path: z.string() }),
    execute: (input) => {
      made.push(input);
      return Promise.resolve("the text");
    },
  });
  const model = { id: "scripted/m" as const, url: server.url, apiKey: "none" };
  const settings = { id: "worker", name: "Worker", instructions: "Work.", model, tools: { look: lookTool } };
  const agent = new Agent({ ...settings, ...config });
  return { agent, made, model, requests: () => (server?.requests ?? []).map(seenRequest) };
}

const noLooking = definePolicy({
  name: "no-looking",
  decide: { "tool.requested": (_run, _state, { tool }) => (tool === "look" ? refuse("Do not look.") : undefined) },
});

export function describeTraps(): void {
  describe("withPhases on an agent of Mastra", () => {
    it("leaves the agent as it is: another call of it is not watched", async () => {
      const { agent, made } = await setUp([look, done, look, done]);
      const run = createRun({ mode: "gate", policies: [noLooking] });
      await trackRun(run, () => withPhases(run, agent).generate("Fix it."));
      expect(made).toEqual([]);
      await agent.generate("Fix it.");
      expect([made.length, run.view.turn]).toEqual([1, 2]);
    });

    it("keeps the agent's own processors and hooks, and those of the call", async () => {
      const seen: string[] = [];
      const processor = (id: string) => ({
        id,
        processLLMRequest: ({ prompt }: Pick<ProcessLLMRequestArgs, "prompt">) => (seen.push(id), { prompt }),
      });
      const hooks = { beforeToolCall: () => void seen.push("hook") };
      const { agent, requests } = await setUp([look, done, done], { inputProcessors: [processor("agent")], hooks });
      const say = definePolicy({ name: "say", decide: { "turn.started": () => nudge("Be brief.") } });
      const source = () => createRun({ policies: [say] });
      await withPhases(source, agent).generate("Fix it.");
      expect(seen).toEqual(["agent", "hook", "agent"]);
      await withPhases(source, agent).generate("Fix it.", { inputProcessors: [processor("call")] });
      expect(seen.at(-1)).toBe("call");
      expect(requests().map(({ messages }) => messages.some(({ text }) => text.includes("Be brief.")))).toEqual([
        true,
        true,
        true,
      ]);
    });

    it("continues in the same call after a veto, within `maxSteps`", async () => {
      const never = definePolicy({ name: "never", decide: { "finish.requested": () => veto("Look first.") } });
      const { agent, requests } = await setUp([done, look, done]);
      const run = createRun({ mode: "gate", policies: [never] });
      const { steps } = await trackRun(run, () => withPhases(run, agent).generate("Fix it.", { maxSteps: 3 }));
      expect([steps.at(-1)?.text, run.outcome?.reason]).toEqual(["Done.", "done_unverified"]);
      expect(requests().map(({ messages }) => messages.length)).toEqual([2, 4, 6]);
    });

    it("ends at the limits of the run with one step without tools", async () => {
      const { agent, requests } = await setUp((_request, index) => (index < 2 ? look : done));
      const run = createRun({ policies: [budget({ turns: 2 })] });
      await trackRun(run, () => withPhases(run, agent).generate("Fix it.", { maxSteps: 20 }));
      expect([run.outcome?.reason, requests().map(({ tools }) => tools.length)]).toEqual(["turn_limit", [1, 1, 0]]);
    });

    it("records arguments that do not fit the schema as a failed call", async () => {
      const { agent, made } = await setUp([{ calls: [{ tool: "look", input: { path: 1 } }] }, done]);
      const run = createRun();
      const events = eventsOf(run);
      await trackRun(run, () => withPhases(run, agent).generate("Fix it."));
      expect(made).toEqual([]);
      expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([{ tool: "look" }]);
      expect(run.view.pending.size).toBe(0);
    });

    it("does not count the steps of a sub-agent", async () => {
      const scout = await setUp([
        { calls: [{ tool: "agent-scout", input: { prompt: "Look." } }] },
        look,
        { text: "It adds." },
        done,
      ]);
      const settings = { id: "boss", name: "Boss", instructions: "Ask.", model: scout.model };
      const boss = new Agent({ ...settings, agents: { scout: scout.agent } });
      const run = createRun();
      const events = eventsOf(run);
      await trackRun(run, () => withPhases(run, boss).generate("Fix it."));
      expect([run.view.turn, run.view.toolCalls, scout.made.length]).toEqual([2, 1, 1]);
      expect(events.filter(({ type }) => type === "tool.finished")).toMatchObject([
        { tool: "agent-scout", outcome: "ok" },
      ]);
    });

    it("takes plain tools", async () => {
      const plain = {
        name: "status",
        description: "Says where the run is.",
        inputSchema: { type: "object", properties: {} },
        execute: () => ({ ok: true, text: "all well" }),
      };
      const tools = toMastraTools([plain as never], { createTool: (options) => createTool(options) });
      const { agent } = await setUp([{ calls: [{ tool: "status", input: {} }] }, done], { tools });
      const run = createRun();
      const events = eventsOf(run);
      await trackRun(run, () => withPhases(run, agent).generate("Fix it."));
      expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({ tool: "status", output: "all well" });
    });
  });

  describe("phaseStep", () => {
    it("moves the run to the phase of the step, and lets a step execute that the graph does not allow", async () => {
      const graph = definePhaseGraph({
        initial: "planning",
        phases: { planning: { next: ["coding"] }, coding: { next: [], final: true } },
      });
      const run = createRun({ graph });
      const schema = z.object({ count: z.number() });
      const step = (id: string) =>
        createStep({
          id,
          inputSchema: schema,
          outputSchema: schema,
          execute: ({ inputData }) => Promise.resolve({ count: inputData.count + 1 }),
        });
      const workflow = createWorkflow({ id: "story", inputSchema: schema, outputSchema: schema })
        .then(phaseStep(run, "planning", step("plan")))
        .then(phaseStep(run, "coding", step("code")))
        .then(phaseStep(run, "planning", step("again")))
        .commit();
      const result = await (await workflow.createRun()).start({ inputData: { count: 0 } });
      expect(result).toMatchObject({ status: "success", result: { count: 3 } });
      expect(run.view.transitions.map(({ from, to }) => `${from} → ${to}`)).toEqual(["planning → coding"]);
      expect(run.view.phase).toBe("coding");
    });
  });
}
