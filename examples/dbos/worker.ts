// A worker of DBOS: agents as workflows on PostgreSQL. Steps are rows of DBOS, the log is in the same database.
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { storeEvents } from "@phasekit/durable";
import { agentLoop } from "@phasekit/example-durable-agent";
import { countedSteps } from "@phasekit/example-durable-agent/counted-steps";
import { renderFailure, type WorkerLine } from "@phasekit/example-durable-agent/drill";
import { scriptedHost, type WorkerOrders } from "@phasekit/example-durable-agent/scripted-host";
import { createPostgresRunStore } from "@phasekit/postgres";
import { Pool } from "pg";

const [folder = "", given = "{}", url = ""] = process.argv.slice(2);
const orders = JSON.parse(given) as WorkerOrders;
const store = createPostgresRunStore(new Pool({ connectionString: url, max: 4 }), { notifications: false });
const print = (line: WorkerLine): void => console.log(JSON.stringify(line));
const A_WEEK = 7 * 24 * 3600;

DBOS.registerWorkflow(
  async (id: string) => {
    await agentLoop({
      ...scriptedHost(id, folder, orders),
      ...countedSteps((name, work) => DBOS.runStep(work, { name })),
      waitForPerson: async ({ review }) => {
        print({ did: "wait", id, address: review });
        const verdict = await DBOS.recv<ReviewVerdict>(review, A_WEEK);
        return verdict ?? { verdict: "reject", feedback: "No answer came within a week." };
      },
      store: (events, after) => storeEvents(store, id, { events, after }),
    }).catch((error: unknown) => {
      print({ did: "fail", id, why: renderFailure(error) });
      throw error;
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
