// A worker of Restate: agents as workflows behind a server. Steps are in Restate's journal, the log is in files.
import * as restate from "@restatedev/restate-sdk";
import type { ReviewVerdict } from "@phasekit/core/adapter";
import { storeEvents } from "@phasekit/durable";
import { agentLoop } from "@phasekit/example-durable-agent";
import { countedSteps } from "@phasekit/example-durable-agent/counted-steps";
import { renderFailure, type WorkerLine } from "@phasekit/example-durable-agent/drill";
import { scriptedHost, type WorkerOrders } from "@phasekit/example-durable-agent/scripted-host";
import { createFileStore } from "@phasekit/ledger/node";

const [folder = "", given = "{}", runs = "", port = "0"] = process.argv.slice(2);
const orders = JSON.parse(given) as WorkerOrders;
const store = createFileStore(runs);
const print = (line: WorkerLine): void => console.log(JSON.stringify(line));

const agent = restate.workflow({
  name: "agent",
  handlers: {
    run: async (ctx: restate.WorkflowContext) => {
      const id = ctx.key;
      await agentLoop({
        ...scriptedHost(id, folder, orders),
        ...countedSteps((name, work) => ctx.run(name, work)),
        waitForPerson: () => {
          const answer = ctx.awakeable<ReviewVerdict>();
          print({ did: "wait", id, address: answer.id });
          return answer.promise;
        },
        store: (events, after) => storeEvents(store, id, { events, after }),
      }).catch((error: unknown) => {
        print({ did: "fail", id, why: renderFailure(error) });
        throw error;
      });
      print({ did: "end", id });
    },
  },
});
await restate.serve({ services: [agent], port: Number(port) });
print({ did: "ready" });
