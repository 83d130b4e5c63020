// The worker. It needs a server: `temporal server start-dev` of the Temporal CLI listens on localhost:7233.
import { NativeConnection, Worker } from "@temporalio/worker";
import * as activities from "./activities.ts";
import { bundleWorkflows } from "./bundle.ts";

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env["TEMPORAL_ADDRESS"] ?? "localhost:7233" }),
  taskQueue: "agents",
  workflowBundle: await bundleWorkflows(),
  activities,
});
await worker.run();
