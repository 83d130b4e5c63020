// Writes the golden logs of today's format to packages/ledger/test/golden/<version>:
//   pnpm -C bench golden v4
// Run it once per stored format, before the format changes. A version that exists is never written again.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PhaseGraph, RunEvent } from "@phasekit/core";
import { replayRun } from "@phasekit/core";
import { storeRun, readRun, resumeRun, summarizeRun } from "@phasekit/ledger";
import { createFileStore } from "@phasekit/ledger/node";
import { type GoldenStory, goldenStories, type StoryTools } from "./golden-logs/stories.ts";
import { viewToJson } from "../../packages/ledger/test/view-to-json.ts";

const version = process.argv[2] ?? "";
if (!/^v\d+$/.test(version)) throw new Error('Name the version to write, such as "v4".');
const root = join(import.meta.dirname, "../../packages/ledger/test/golden", version);
if (existsSync(root)) throw new Error(`${root} exists. Golden logs are never rewritten; choose the next version.`);

let time = 1_700_000_000_000;
const clock = (): number => (time += 10);
const store = createFileStore(root, {
  clock,
  segmentBytes: 16_000,
  processes: {
    self: () => ({ pid: 1, start: "1", boot: "b", host: "golden", space: "", nonce: "golden" }),
    isGone: () => true,
  },
});

for (const story of goldenStories) await playStory(story);
await store.close();

async function playStory(story: GoldenStory): Promise<void> {
  const graphs = new Map<string, PhaseGraph>();
  let ids = 0;
  const tools: StoryTools = {
    clock,
    createId: () => `${story.name}-${String((ids += 1))}`,
    store: (run) => {
      graphs.set(run.id, run.view.graph);
      return storeRun(run, store);
    },
    resume: (id, options) => resumeRun(store, id, { ...options, why: "The machine is back." }),
  };
  await story.play(tools);
  for (const [id, graph] of graphs) {
    const events: readonly RunEvent[] = await readRun(store, id);
    const expected = {
      graph,
      summary: summarizeRun(events),
      view: viewToJson(replayRun(events, { graph }).run.view),
    };
    writeFileSync(join(root, `${id}.json`), `${JSON.stringify(expected, undefined, 2)}\n`);
    console.log(`${id}: ${String(events.length)} events`);
  }
}
