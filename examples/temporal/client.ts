// Starts four agents, answers their reviews and waits for them. It needs a server and `worker.ts`.
import { Client, Connection } from "@temporalio/client";
import { verdictOfPerson } from "@phasekit/example-durable-agent/script";
import { agent, answerReview } from "./workflows.ts";

const connection = await Connection.connect({ address: process.env["TEMPORAL_ADDRESS"] ?? "localhost:7233" });
const client = new Client({ connection });
const handles = await Promise.all(
  ["agent-1", "agent-2", "agent-3", "agent-4"].map((id) =>
    client.workflow.start(agent, { workflowId: id, taskQueue: "agents", args: [id] }),
  ),
);
// A signal that comes before the review waits for it.
for (const handle of handles) await handle.signal(answerReview, verdictOfPerson);
await Promise.all(handles.map((handle) => handle.result()));
await connection.close();
