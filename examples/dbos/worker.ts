// A worker of DBOS: agents as workflows on PostgreSQL. Steps are rows of DBOS, the log is in the same database.
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { storeEvents } from "@phasekit/durable";
import { agentLoop } from "@phasekit/example-durable-agent";
import { countedSteps } from "@phasekit/example-durable-agent/counted-steps";
import type { WorkerLine } from "@phasekit/example-durable-agent/drill";
import { type KillPoint, scriptedHost } from "@phasekit/example-durable-agent/scripted-host";
import { createPostgresRunStore } from "@phasekit/postgres";
import { Pool } from "pg";

const [folder = "", killPoint = "null", url = ""] = process.argv.slice(2);
const kill = (JSON.parse(killPoint) as KillPoint | null) ?? undefined;
const store = createPostgresRunStore(new Pool({ connectionString: url, max: 4 }), { notifications: false });
const print = (line: WorkerLine): void => console.log(JSON.stringify(line));
const A_WEEK = 7 * 24 * 3600;

DBOS.registerWorkflow(
  async (id: string) => {
    await agentLoop({
      ...scriptedHost(id, { folder, ...(kill !== undefined && { kill }) }),
      ...countedSteps((name, work) => DBOS.runStep(work, { name })),
      waitForPerson: async ({ review }) => {
        print({ did: "wait", id, address: review });
        const verdict = await DBOS.recv<ReviewVerdict>(review, A_WEEK);
        return verdict ?? { verdict: "reject", feedback: "Nobody answered within a week." };
      },
      store: (events, after) => storeEvents(store, id, { events, after }),
    });
    print({ did: "end", id });
  },
  { name: "agent" },
);
// The version of a deployment: DBOS recovers a workflow with the code it was started with.
DBOS.setConfig({ name: "agents", systemDatabaseUrl: url, applicationVersion: "1", logLevel: "error" });
await DBOS.launch(); // recovers what a killed worker left behind
await DBOS.registerQueue("agents", { workerConcurrency: 16, minPollingIntervalMs: 50 });
print({ did: "ready" });
