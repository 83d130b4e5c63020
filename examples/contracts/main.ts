// A ticket goes through four contracts. The agent hands in a brief without its sections, gets the list of missing ones
// in the same turn, fixes the brief, and later convinces a judge. Runs offline, without a key.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  contractGate,
  contractsOrThrow,
  contractsToGraph,
  createPipeline,
  type Judge,
  type WorkLogLine,
} from "@phasekit/contracts";
import { createArtifactFiles, createPromoter, loadContracts } from "@phasekit/contracts/node";
import { createRun, trackRun } from "@phasekit/core";
import { createScriptedAgent } from "./scripted-agent.ts";

const TICKET = "SYM-001";
const folder = mkdtempSync(join(tmpdir(), "phasekit-contracts-"));
try {
  const projectRoot = join(folder, "project");
  const worktree = join(folder, "worktree");
  for (const copy of [projectRoot, worktree]) cpSync(join(import.meta.dirname, "project"), copy, { recursive: true });

  const contracts = contractsOrThrow(await loadContracts(join(import.meta.dirname, "prompts/phases")));
  const log: WorkLogLine[] = [];
  // The judge is a function; here it only wants the alternatives to be thought through.
  const judge: Judge = ({ artifact = "" }) =>
    artifact.includes("To be done")
      ? {
          verdict: "rejected",
          reason: "The alternatives are not compared.",
          fix_instructions: "Compare at least one alternative.",
        }
      : { verdict: "approved", reason: "One decision, with its price." };
  const events: string[] = [];
  const pipeline = createPipeline({
    contracts,
    artifacts: createArtifactFiles({ projectRoot }),
    judge,
    log: (line) => void log.push(line),
    deliver: ({ name, payload }) =>
      void events.push(name === "on-phase-advance" ? `${name} ${JSON.stringify(payload["phase"])}` : name),
    createChangeRequest: ({ id }) => Promise.resolve({ id: `change-for-${id}` }),
    promote: createPromoter({ root: projectRoot }),
  });
  await pipeline.add({ id: TICKET, project: { name: "slow-list" } });
  const run = createRun({
    graph: contractsToGraph(contracts, { identifier: TICKET }),
    policies: [contractGate({ contracts })],
    mode: "gate",
    item: { id: TICKET },
  });
  await pipeline.startRun(TICKET, { runId: run.id, worktreePath: worktree });
  const completePhase = pipeline.completePhaseTool(TICKET, { run });
  const agent = createScriptedAgent(TICKET);
  const answers: string[] = [];

  await trackRun(run, async () => {
    for (let heard = ""; ;) {
      const turn = run.beforeTurn();
      if (turn.stop) return;
      const step = agent(heard);
      if (step === undefined) break;
      if ("write" in step) {
        mkdirSync(dirname(join(worktree, step.write)), { recursive: true });
        writeFileSync(join(worktree, step.write), step.text);
        heard = "written";
        continue;
      }
      const { text } = await completePhase.execute(step.input);
      heard = text;
      answers.push(text);
      // In production a worker decides pending claims. Here it happens immediately, with a judge.
      await pipeline.tick();
      await pipeline.follow(run, TICKET);
    }
    const finish = run.beforeFinish();
    assert.ok(finish.accept, "the gate lets the run end");
  });

  const { item } = (await pipeline.store.load(TICKET)) ?? assert.fail("the item is there");
  const { comments } = await pipeline.store.history(TICKET);
  console.log(`The first answer of complete_phase:\n${answers[0] ?? ""}\n`);
  console.log(`What people read:\n${comments.map(({ text }) => `- ${text.replaceAll("\n", "\n  ")}`).join("\n")}\n`);
  console.log(
    `The item: ${item.phase}, ${item.status}, change request ${item.changeRequest?.id ?? "none"}; ` +
      `${events.length} hooks delivered.`,
  );
  console.log(
    `The run: ${run.outcome?.phase ?? ""}, ${run.outcome?.reason ?? ""}, verified ${String(run.outcome?.verified)}.`,
  );

  assert.match(
    answers[0] ?? "",
    /"Problem Statement" is missing; found "Problem" instead/,
    "the agent gets the issues in the same turn",
  );
  assert.equal(
    item.artifacts.filter(({ phase }) => phase === "research").length,
    1,
    "telling early costs no rejection",
  );
  assert.deepEqual(
    item.artifacts.map(({ phase, status, revision }) => `${phase} ${status} ${revision}`),
    ["research approved 1", "architecture rejected 1", "architecture approved 2", "grooming approved 1"],
  );
  assert.equal(item.status, "review");
  assert.deepEqual(item.changeRequest, { id: `change-for-${TICKET}` });
  assert.deepEqual(
    events.filter((event) => event.startsWith("on-phase-advance")),
    [
      'on-phase-advance "architecture"',
      'on-phase-advance "grooming"',
      'on-phase-advance "ready"',
      'on-phase-advance "ready"',
    ],
  );
  assert.equal(
    readFileSync(join(projectRoot, "docs/research/slow-list.md"), "utf8"),
    readFileSync(join(worktree, `docs/tickets/${TICKET}/research.md`), "utf8"),
    "the brief was promoted",
  );
  assert.equal(run.outcome?.verified, true);
  assert.deepEqual(
    log.filter(({ level }) => level === "warn").map(({ event, code }) => `${event} ${code}`),
    ["claim_rejected verdict_rejected"],
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
