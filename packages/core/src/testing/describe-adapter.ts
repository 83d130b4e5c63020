import { ownValue } from "../text/own-value.ts";
import { createRun, type Run, type RunPort } from "../run/run.ts";
import { isPhasekitError } from "../errors.ts";
import { NUDGE_TAG } from "../run/agent-texts.ts";
import type { RunEvent } from "../events/run-event.ts";
import { trackRun } from "../run/track-run.ts";
import type {
  AdapterHarness,
  HostAbility,
  ScriptedAgent,
  ScriptedHost,
  SeenMessage,
  SeenRequest,
} from "./adapter-harness.ts";
import { acting } from "./adapter-scenarios/acting.ts";
import { actingExpected } from "./adapter-scenarios/acting-expected.ts";
import { keepingOut } from "./adapter-scenarios/keeping-out.ts";
import { keepingOutExpected } from "./adapter-scenarios/keeping-out-expected.ts";
import { type ExpectedResult, PROMPT, read, type Scenario, scriptedTools } from "./adapter-scenarios/scenario.ts";
import { seeing } from "./adapter-scenarios/seeing.ts";
import { seeingExpected } from "./adapter-scenarios/seeing-expected.ts";
import { skilled } from "./adapter-scenarios/skilled.ts";
import { skilledExpected } from "./adapter-scenarios/skilled-expected.ts";
import {
  childEvents as expectedOfChild,
  parentEvents as expectedOfParent,
} from "./adapter-scenarios/sub-agent-expected.ts";
import { manualClock } from "./build-run.ts";
import { eventsToLines } from "./event-lines.ts";

const expectedByScenario: Readonly<Record<string, ExpectedResult>> = {
  ...seeingExpected,
  ...skilledExpected,
  ...actingExpected,
  ...keepingOutExpected,
};

/** The two functions of a test runner that are needed; vitest's and node:test's fit. */
export interface AsyncTestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * Checks what every adapter promises: the same scripted agent leaves the same events, whatever the framework; nudges
 * are after all results and stay there; nothing Phasekit does breaks the host. Each scenario has its events written
 * down; `ignoredFields` lists the fields that are not compared.
 *
 * @example
 * describeAdapter(harness, { describe, it });
 */
export function describeAdapter(harness: AdapterHarness, { describe, it }: AsyncTestRunner): void {
  const cannot = new Set<HostAbility>(harness.cannot);
  const can = new Set(harness.can);
  const possible = [...seeing, ...skilled, ...acting, ...keepingOut].filter(
    ({ needs = [], skills = [] }) =>
      !needs.some((ability) => cannot.has(ability)) && skills.every((skill) => can.has(skill)),
  );

  describe(`adapter ${harness.name}`, () => {
    for (const scenario of possible) it(scenario.name, () => play(harness, scenario));
    it("shows a sub-agent as a child run", () => subAgent(harness));
    it("takes a function, and calls it once per invocation", () => oncePerInvocation(harness));
    if (!cannot.has("end")) {
      it("ends the run of a function with its invocation", () => endsWithInvocation(harness));
      it("ends the run of a function with the error of its invocation", () => endsWithError(harness));
    }
    it("refuses a run that has ended, and says what to do", () => endedRun(harness));
    it("lets the host work when the run itself is broken", () => brokenRun(harness));
  });
}

/** An agent whose script is all that is given. */
function agentOf(agent: Scenario["agent"]): ScriptedAgent {
  return { prompt: PROMPT, model: "large-1", models: {}, tools: scriptedTools, stream: false, ...agent };
}

async function play(
  harness: AdapterHarness,
  { name, skills = [], agent, run: options = {}, prepare, ignore, check, text: expectedText }: Scenario,
): Promise<void> {
  const run = createRun<string>({ id: "run", clock: manualClock({ step: 1 }).now, ...options });
  const expected = ownValue(expectedByScenario, name);
  const events = eventsOf(run);
  prepare?.(run);
  const host = await harness.start(agentOf(agent));
  try {
    const text = await trackRun(run, () => host.invoke(run)).then(
      (given) => given,
      () => undefined,
    );
    same(
      eventsToLines(skills.includes("user") ? inTurnOrder(events) : withoutUser(inTurnOrder(events)), {
        ...(ignore !== undefined && { ignore }),
      }),
      expectedLines(expected?.events ?? ""),
      "The events differ.",
    );
    if (text !== expectedText)
      throw new Error(`The host's last text is ${JSON.stringify(text)}, not ${JSON.stringify(expectedText)}.`);
    checkRequests(host.requests(), { wire: expected?.wire ?? "", rewritten: agent.compact?.before });
    check?.(host.requests());
  } finally {
    await host.close?.();
  }
}

/** Some hosts show a request before they ask for its turn, some after: what was found in it is put before the turn. */
function inTurnOrder(events: readonly RunEvent[]): readonly RunEvent[] {
  const ordered: RunEvent[] = [];
  for (const event of events) {
    if (event.type !== "message.received" && event.type !== "context.compacted") {
      ordered.push(event);
      continue;
    }
    const { turn: _turn, ...found } = event;
    const asked = ordered.findLastIndex(({ type }) => type === "turn.started");
    const isOpen = asked >= 0 && !ordered.slice(asked).some(({ type }) => type === "model.answered");
    ordered.splice(isOpen ? asked : ordered.length, 0, found);
  }
  return ordered;
}

/** Leaves out the user's messages: not every adapter records them. */
function withoutUser(events: readonly RunEvent[]): readonly RunEvent[] {
  return events.filter(({ type }) => type !== "message.received");
}

function checkRequests(
  requests: readonly SeenRequest[],
  { wire, rewritten }: { readonly wire: string; readonly rewritten: number | undefined },
): void {
  requests.forEach((request, index) => {
    const next = requests[index + 1];
    if (next === undefined || index + 2 === rewritten) return;
    const before = request.messages.map(showWhole);
    same(
      next.messages.slice(0, before.length).map(showWhole),
      before,
      `Request ${String(index + 2)} does not extend the one before it: the provider's cache is lost.`,
    );
  });
  same([(requests.at(-1)?.messages ?? []).map(show).join(" | ")], [wire], "The last request looks different.");
}

function show({ role, text, calls = [] }: SeenMessage): string {
  const marked = text.startsWith(`<${NUDGE_TAG}>`) ? `${role}:phasekit` : role;
  return calls.length === 0 ? marked : `${marked}(${calls.join(", ")})`;
}

function showWhole(message: SeenMessage): string {
  return `${show(message)} ${message.text}`;
}

async function subAgent(harness: AdapterHarness): Promise<void> {
  const run = createRun<string>({ id: "parent", clock: manualClock({ step: 1 }).now });
  const events = eventsOf(run);
  let childEvents: readonly RunEvent[] = [];
  const usage = { input: 10, output: 2 };
  const delegate = async (_input: unknown, { call }: { readonly call: string }): Promise<string> => {
    const child = run.child({ id: "child", call });
    childEvents = eventsOf(child);
    return withHost(
      harness,
      agentOf({
        answers: [
          { calls: [read("a.ts")], usage },
          { text: "Found it.", usage },
        ],
      }),
      (host) => trackRun(child, () => host.invoke(child)),
    );
  };
  const tools = [...scriptedTools, { name: "delegate", execute: delegate }];
  await withHost(
    harness,
    agentOf({
      tools,
      answers: [
        { calls: [{ tool: "delegate", input: { task: "look" } }], usage },
        { text: "Done.", usage },
      ],
    }),
    (host) => trackRun(run, () => host.invoke(run)),
  );
  same(eventsToLines(withoutUser(events)), expectedLines(expectedOfParent), "The parent's events differ.");
  same(eventsToLines(withoutUser(childEvents)), expectedLines(expectedOfChild), "The child's events differ.");
}

/** A function that returns a new run, and the runs it has returned. */
function newRuns(): { readonly made: readonly RunPort[]; readonly source: () => RunPort } {
  const made: RunPort[] = [];
  const source = (): RunPort => {
    const run = createRun();
    made.push(run);
    return run;
  };
  return { made, source };
}

async function endsWithInvocation(harness: AdapterHarness): Promise<void> {
  for (const stream of streamsOf(harness)) {
    const { made, source } = newRuns();
    const usage = { input: 10, output: 2 };
    const answers = [{ calls: [read("a.ts")] }, { text: "One." }, { text: "Two." }].map((answer) => ({
      ...answer,
      usage,
    }));
    await withHost(harness, agentOf({ answers, stream }), async (host) => {
      for (let count = 1; count <= 2; count += 1) {
        await host.invoke(source);
        same(
          made.map(({ outcome }) => String(outcome?.reason)),
          Array<string>(count).fill("done"),
          `Each run should have ended with its invocation${stream ? ", which streams" : ""}.`,
        );
      }
    });
  }
}

async function endsWithError(harness: AdapterHarness): Promise<void> {
  for (const stream of streamsOf(harness)) {
    const { made, source } = newRuns();
    const answers = [{ fails: { status: 400, code: "invalid" } }];
    await withHost(harness, agentOf({ answers, stream }), (host) => host.invoke(source).catch(() => ""));
    same(
      made.map(({ outcome }) => (outcome === undefined ? "open" : outcome.reason === "done" ? "done" : "failed")),
      ["failed"],
      `The run should have ended with the error${stream ? " of the stream" : ""}.`,
    );
  }
}

/** Without and, if the host can, with a stream. */
function streamsOf({ cannot = [] }: AdapterHarness): readonly boolean[] {
  return cannot.includes("stream") ? [false] : [false, true];
}

async function oncePerInvocation(harness: AdapterHarness): Promise<void> {
  const { made, source } = newRuns();
  const answers = [{ calls: [read("a.ts")] }, { text: "One." }, { calls: [read("a.ts")] }, { text: "Two." }];
  await withHost(harness, agentOf({ answers }), async (host) => {
    same(
      [await host.invoke(source), await host.invoke(source)],
      ["One.", "Two."],
      "Two invocations did not give two answers.",
    );
  });
  same(
    made.map(({ view }) => `${String(view.turn)} turns, ${String(view.toolCalls)} calls`),
    ["2 turns, 1 calls", "2 turns, 1 calls"],
    "Each invocation should have had a run of its own.",
  );
}

async function endedRun(harness: AdapterHarness): Promise<void> {
  const run = createRun();
  run.end();
  const error = await withHost(harness, agentOf({ answers: [{ text: "never asked" }] }), async (host) => {
    try {
      return await host.invoke(run);
    } catch (caught) {
      return caught;
    }
  });
  if (!isPhasekitError(error, "RUN_ENDED") || error.hint?.includes("pass a function") !== true) {
    throw new Error(`It should have thrown RUN_ENDED with the hint to pass a function; it gave ${String(error)}.`);
  }
}

async function brokenRun(harness: AdapterHarness): Promise<void> {
  const fail = (): never => {
    throw new Error("the run is broken");
  };
  const broken: Run<"working"> = {
    ...createRun(),
    record: fail,
    beforeTurn: fail,
    beforeTool: fail,
    beforeFinish: fail,
    text: fail,
  };
  await withHost(harness, agentOf({ answers: [{ calls: [read("a.ts")] }, { text: "Done." }] }), async (host) => {
    same([await host.invoke(broken)], ["Done."], "The host's answer changed.");
    same([String(host.requests().length)], ["2"], "The host asked its model more or less often.");
  });
}

async function withHost<T>(
  harness: AdapterHarness,
  agent: ScriptedAgent,
  work: (host: ScriptedHost) => Promise<T>,
): Promise<T> {
  const host = await harness.start(agent);
  try {
    return await work(host);
  } finally {
    await host.close?.();
  }
}

function eventsOf(run: Pick<RunPort, "subscribe">): readonly RunEvent[] {
  const events: RunEvent[] = [];
  run.subscribe((step) => events.push(...step));
  return events;
}

/** One line per event; an indented line continues the one before it. */
function expectedLines(text: string): readonly string[] {
  return text.trim().replaceAll("\n  ", " ").split("\n");
}

function same(found: readonly string[], expected: readonly string[], problem: string): void {
  if (found.join("\n") === expected.join("\n")) return;
  throw new Error(`${problem}\n--- expected\n${expected.join("\n")}\n--- found\n${found.join("\n")}`);
}
