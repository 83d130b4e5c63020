import { currentPolicyName } from "@phasekit/core/adapter";
import type { CommandRun } from "../command.ts";
import { textOption } from "../command-options.ts";
import { badArgument, noSession } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { waiveGate } from "../hooks/client/user-requests.ts";
import { liveRoot } from "../live/install-folders.ts";

/** Lets the agent of this folder finish without a gate. Refuses agents, as far as they can be known, and records it. */
export const waive: CommandRun = async ({ args: [given = ""], options }, { terminal, env, cwd }) => {
  const gate = currentPolicyName(given);
  const reason = textOption(options, "reason");
  if (reason === undefined)
    throw badArgument("A waiver needs a reason", `Write \`phasekit waive ${gate} --reason "<why>"\`.`);
  const session = textOption(options, "session");
  const reply = await waiveGate({
    root: liveRoot(env),
    gate,
    reason,
    byAgent: terminal.isAgent,
    ...(session === undefined ? { cwd } : { session }),
  });
  if (terminal.isAgent || (reply !== undefined && reply.refused.length > 0 && reply.waived.length === 0))
    throw badArgument(
      "An agent cannot waive a gate; the attempt is in its log",
      `Ask the user to run \`phasekit waive ${gate} --reason "<why>"\` in a terminal of their own.`,
    );
  if (reply === undefined || reply.waived.length === 0) throw noSession(session ?? cwd);
  const { waived, refused } = reply;
  return {
    exitCode: exitCodes.ok,
    data: { gate, reason, waived, refused },
    lines: waived.map((run) => `Waived ${gate} in ${run}. The agent may finish without it until this run ends.`),
  };
};
