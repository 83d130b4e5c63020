// Loaded for every event of an agent: no imports but these.
import { isAgentName } from "@phasekit/hooks";
import process from "node:process";
import { hookMain } from "./hooks/client/hook-main.ts";
import { hookPaths } from "./hooks/client/hook-paths.ts";
import { serverFile } from "./hooks/client/server-file.ts";

/** Names beside those of the agents: of the plugin folder, the status line and the tool server. */
const OTHERS: readonly string[] = ["auto", "statusline", "mcp"];

/** Answers one hook event of an agent, or prints the status line. Never throws, and never sets an exit code. */
export async function runHook(args: readonly string[]): Promise<void> {
  try {
    const [agent = ""] = args;
    if (!isAgentName(agent) && !OTHERS.includes(agent)) {
      process.stderr.write(`phasekit hook: "${agent}" is not an agent. List them with \`phasekit hook\`.\n`);
      return;
    }
    const paths = hookPaths();
    await hookMain(args, { paths, serverCommand: [process.execPath, serverFile(paths)] });
  } catch {
    // A hook never breaks the agent it runs in.
  }
}
