import assert from "node:assert/strict";
import type { Run, RunEvent } from "@phasekit/core";
import {
  type AgentSpec,
  type Conversation,
  conversationEvents,
  createConversation,
  recoverConversation,
} from "@phasekit/orchestrator";
import type { Project } from "./project.ts";
import { renderConversation } from "./render-conversation.ts";
import { createScriptedRouter } from "./scripted-router.ts";

/** Holds the conversation with any team, and checks what came of it. */
export async function holdConversation(
  agents: readonly AgentSpec[],
  project: Project,
): Promise<{
  readonly conversation: Conversation;
  readonly lines: readonly string[];
  readonly agentRuns: readonly Run[];
}> {
  const { router, prompts } = createScriptedRouter();
  const agentRuns: Run[] = [];
  const options = { id: "search-box", agents, router, onAgentRun: (run: Run) => void agentRuns.push(run) };
  const conversation = createConversation(options);
  const log: RunEvent[] = [];
  conversation.run.subscribe((step) => log.push(...step));

  const first = await conversation.send("Help!");
  const second = await conversation.send("What if our docs had a search box?");
  const last = await conversation.send("The filter, please.");

  // The conversation asked when it had to, and continued with the answers.
  assert.deepEqual([first.status, first.question], ["waiting", "What is it about?"]);
  assert.deepEqual([second.phase, second.question], ["brainstorm", "Which one?"]);
  assert.deepEqual([last.status, last.outcome?.reason, last.outcome?.verified], ["ended", "done", true]);

  // All seven phases, along the graph, and back once because verification found something.
  assert.deepEqual(conversation.coverage().missing, []);
  assert.deepEqual(
    conversation.state.visits.map(({ phase }) => phase),
    ["chat", "brainstorm", "plan", "execute", "verification", "execute", "verification", "chores", "reflection"],
  );

  // Two mistakes of the router were corrected; neither got through.
  assert.deepEqual(
    log.filter(conversationEvents.routingCorrected.is).map(({ data }) => data.why),
    ["unknown-agent", "gate"],
  );
  assert.equal(prompts.length, log.filter(conversationEvents.roundOpened.is).length + 3);

  // Every round closed once, everybody reflected once, and what they learned was kept.
  assert.equal(log.filter(conversationEvents.roundClosed.is).length, conversation.state.roundCount);
  assert.deepEqual(
    [...conversation.cycle.reflections.values()],
    [
      { done: true, failed: 0 },
      { done: true, failed: 0 },
      { done: true, failed: 0 },
    ],
  );
  assert.equal(
    log.filter(conversationEvents.lessonLearned.is).filter(({ data }) => data.from === "reflection").length,
    3,
  );

  // The work is really done, and the conversation can be read back from its log alone.
  assert.match(project.files.get("search.ts") ?? "", /toLowerCase/);
  assert.deepEqual(
    recoverConversation(JSON.parse(JSON.stringify(log)) as unknown[], options).conversation.state,
    conversation.state,
  );
  return { conversation, lines: renderConversation(log), agentRuns };
}
