import type { Reason } from "@phasekit/core";
import type { ScriptedAnswer } from "@phasekit/tooling/openai-server";
import { FIXED, filesToRead, HALF_FIXED } from "./failing-project.ts";

/** The input of the scripted agent since its last answer. */
interface AgentInput {
  /** Results, nudges, refusals and vetoes. */
  readonly text: string;
  /** True if the agent may not call tools in this turn. */
  readonly isClosing: boolean;
}

/** A scripted agent: takes input, yields answers. */
export type Agent = Generator<ScriptedAnswer, void, AgentInput>;

/** A story of the demo, and its expected end. */
export interface DemoStory {
  readonly title: string;
  readonly agent: () => Agent;
  readonly ends: { readonly reason: Reason; readonly verified: boolean; readonly testsPass: boolean };
  /** True if the work must meet the contract of its last phase. @default false */
  readonly contract?: boolean;
}

const test: ScriptedAnswer = call("bash", { command: "node --test" });
const read = (path: string): ScriptedAnswer => call("read_file", { path });
const write = (path: string, content: string): ScriptedAnswer => call("write_file", { path, content });
const say = (text: string): ScriptedAnswer => ({ text });
const CHANGES = `# Changes

## Cause

Only the first blank was replaced, and capitals stayed.

## Fix

Every run of other characters becomes one hyphen.
`;
const claim = call("complete_phase", {
  completed_phase: "verifying",
  contract_version: 1,
  recommended_next_phase: null,
  summary: "slug is fixed",
});

function call(tool: string, input: object): ScriptedAnswer {
  return { calls: [{ tool, input }] };
}

/** Reproduces, repairs, forgets the tests and a part of the report, and is sent back until both are there. */
function* good(): Agent {
  yield read("README.md");
  yield read("src/slug.js");
  yield read("test/slug.test.js");
  yield test;
  yield write("src/slug.js", HALF_FIXED);
  yield test;
  yield write("src/slug.js", FIXED);
  yield write("CHANGES.md", CHANGES);
  let heard = yield say("Fixed.");
  while (/not run the tests|Run the tests again|last test run/.test(heard.text)) {
    yield test;
    heard = yield say("The tests pass now.");
  }
  if (!heard.text.includes("complete_phase")) return;
  heard = yield claim;
  if (heard.text.includes("not complete")) {
    yield write("CHANGES.md", `${CHANGES}\n## Evidence\n\nAll three tests pass.\n`);
    yield test;
    yield claim;
  }
  yield say("Fixed, tested and written down.");
}

/** Runs a missing script again and again and ignores all nudges. */
function* loop(): Agent {
  yield read("src/slug.js");
  let heard = yield read("README.md");
  while (!heard.isClosing) heard = yield call("bash", { command: "node scripts/build.js" });
  yield say("The build script is missing; nothing was changed.");
}

/** Claims to be done without running anything; the gate sends it back. */
function* fakeDone(): Agent {
  yield read("src/slug.js");
  yield write("src/slug.js", HALF_FIXED);
  const heard = yield say("Done. All tests pass.");
  if (!/tests/.test(heard.text)) return;
  yield test;
  yield write("src/slug.js", FIXED);
  yield test;
  yield say("Done. Now they do.");
}

/** Reads one file after the other until a nudge stops it. */
function* explorer(): Agent {
  for (const path of [...filesToRead, ...filesToRead]) {
    const heard = yield read(path);
    if (/enough|read \d+ files|files/i.test(heard.text) && heard.text.includes("phasekit")) break;
  }
  yield write("src/slug.js", FIXED);
  yield test;
  yield say("Fixed; the tests pass.");
}

/** The stories by name. */
export const demoStories: Readonly<Record<string, DemoStory>> = {
  good: {
    title: "an agent fixes a failing project; the gates send it back until it has evidence",
    agent: good,
    contract: true,
    ends: { reason: "done", verified: true, testsPass: true },
  },
  loop: {
    title: "an agent runs a missing script again and again",
    agent: loop,
    ends: { reason: "aborted_stagnation", verified: false, testsPass: false },
  },
  "fake-done": {
    title: "an agent says it is done, but it is not",
    agent: fakeDone,
    ends: { reason: "done", verified: true, testsPass: true },
  },
  explorer: {
    title: "an agent keeps reading instead of working",
    agent: explorer,
    ends: { reason: "done", verified: true, testsPass: true },
  },
};
