import { codingRun } from "@phasekit/coding";
import { trackRun } from "@phasekit/core";

/** The programs of store.test.ts: each is what a user's file would hold. The first argument names one. */
const programs: Readonly<Record<string, () => unknown>> = {
  /** A loop that returns, and a file that ends. */
  returns: () => work(codingRun({ id: "kept", store: true })),
  tracked: () => trackRun(codingRun({ id: "kept", store: true }), () => undefined),
  quiet: () => work(codingRun({ id: "kept", store: ".phasekit/runs" })),
  exits: () => {
    work(codingRun({ id: "kept", store: true }));
    process.exit(3);
  },
  exitsLater: async () => {
    const run = codingRun({ id: "kept", store: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    work(run);
    process.exit(3);
  },
  throws: async () => {
    await trackRun(codingRun({ id: "kept", store: true }), () => {
      throw new Error("the model is gone");
    });
  },
  twice: async () => {
    await trackRun(codingRun({ id: "kept", store: true }), () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    work(codingRun({ id: "kept", store: true }));
  },
  path: () => work(codingRun({ id: "kept", store: "elsewhere" })),
};

function work(run: ReturnType<typeof codingRun>): void {
  run.beforeTurn();
  const { call } = run.beforeTool({ tool: "Read", input: { file_path: "a.ts" } });
  run.record({ type: "tool.finished", call, outcome: "ok", output: "export {}" });
  run.record({ type: "model.answered" });
}

await programs[process.argv[2] ?? ""]?.();
