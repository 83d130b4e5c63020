import { join } from "node:path";
import { bundleWorkflowCode, type BundleOptions, DefaultLogger } from "@temporalio/worker";
import { SOURCE_CONDITION } from "@phasekit/tooling/source-condition";

/** Bundles the workflows for Temporal's sandbox. It fails if a module of Node is reached. */
export function bundleWorkflows(options: Partial<BundleOptions> = {}): ReturnType<typeof bundleWorkflowCode> {
  return bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, "workflows.ts"),
    logger: new DefaultLogger("ERROR"),
    // Only in this repository: the packages are bundled from their sources. With packages from npm, leave it out.
    webpackConfigHook: (config) => ({
      ...config,
      resolve: { ...config.resolve, conditionNames: [SOURCE_CONDITION, "..."] },
    }),
    ...options,
  });
}
