import { configLoaderFile } from "#standalone-file";
import { isPhasekitError } from "@phasekit/core";
import { type AgentName, agentNames, isAgentName } from "@phasekit/hooks";
import { resolve } from "node:path";
import type { Answer, CommandContext, CommandInput, CommandRun } from "../../command.ts";
import { choiceOption, isSet } from "../../command-options.ts";
import { badArgument } from "../../errors.ts";
import { exitCodes } from "../../exit-code.ts";
import { applyInstall, applyUninstall, type LocalInstallPlan, planInstall, planUninstall } from "./apply-install.ts";
import { diagnose } from "./diagnose.ts";
import { installScopes, installTransports } from "./install-target.ts";
import { writePlugin } from "./write-plugin.ts";
import { installPlace, shortened } from "../../live/install-folders.ts";
import { agentTitle, planLines } from "../../live/plan-lines.ts";
import { nearestName } from "../../nearest-name.ts";

/** Puts Phasekit's hooks into an agent's settings, or takes them out: shows the changes, asks, then makes them. */
export const initAgent: CommandRun = async (given, context) => {
  const agent = agentIn(given.args[0] ?? "");
  const input = await withMode(given, context);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await changeHooks(agent, input, context);
    } catch (error) {
      // The user, the agent or another installation was faster: what was shown is not true any more.
      if (!isPhasekitError(error, "SETTINGS_CHANGED") || attempt === MAX_ATTEMPTS) throw error;
      if (!isSet(input.options, "yes")) context.terminal.out(`\n${error.message} The changes are now:\n\n`);
    }
  }
};

const MAX_ATTEMPTS = 5;
/** The first is proposed: a new user sees what would happen before anything does. */
const MODES = ["observe", "nudge", "gate"] as const;

/** The command with the mode that the person at the terminal chooses, unless the command names one or asks nothing. */
async function withMode(input: CommandInput, { terminal, json }: CommandContext): Promise<CommandInput> {
  const { options } = input;
  const isSettled =
    options["mode"] !== undefined || ["yes", "dryRun", "uninstall"].some((name) => isSet(options, name));
  if (isSettled || json || terminal.choose === undefined) return input;
  return { ...input, options: { ...options, mode: await terminal.choose("How much may reach the agent?", MODES) } };
}

async function changeHooks(agent: AgentName, input: CommandInput, context: CommandContext): Promise<Answer> {
  const { options } = input;
  const isRemoval = isSet(options, "uninstall");
  const plan = planOf(agent, input, context);
  if (isRemoval && plan.record === undefined && plan.files.every(({ path }) => path !== plan.target))
    return answer(plan, {
      done: false,
      lines: [`${agentTitle(agent)} has no hooks of Phasekit's in scope ${plan.scope}.`],
    });
  const shown = [
    heading(plan, isRemoval),
    "",
    ...planLines(plan, { colors: context.terminal.colors, full: isSet(options, "dryRun") }),
  ];
  if (isSet(options, "dryRun")) return answer(plan, { done: false, lines: [...shown, "Nothing was changed."] });
  await refuseAgents(agent, { isRemoval, context });
  if (!isSet(options, "yes") && !(await confirmed(shown, context)))
    return answer(plan, { done: false, lines: ["Nothing was changed."] });
  if (isRemoval) await applyUninstall(plan);
  else await applyInstall(plan);
  const { home, root } = plan.folders;
  const kept = shortened(root, home);
  return answer(plan, {
    done: true,
    lines: isRemoval
      ? [`Removed Phasekit from ${agentTitle(agent)}. Recorded runs are still in ${kept}/runs.`]
      : [
          ...(isSet(options, "yes") ? shown : []),
          `Installed. Backups of changed files are in ${kept}/installs.`,
          ...plan.notes.map((note) => `Note: ${note}`),
          `Use ${agentTitle(agent)} as always. Check the setup with \`phasekit doctor\`, a run with \`phasekit why\`.`,
          `Undo: phasekit init ${agent}${plan.scope === "user" ? "" : ` --scope ${plan.scope}`} --uninstall`,
        ],
  });
}

/** Writes a plugin folder that Claude Code and Codex both read. */
export function initPlugin(folder: string, { cwd }: Pick<CommandContext, "cwd">): Answer {
  const path = resolve(cwd, folder);
  const written = writePlugin(path);
  return {
    exitCode: exitCodes.ok,
    data: { plugin: path, written },
    lines: [
      ...written.map((file) => `Wrote ${folder}/${file}`),
      `Claude Code: claude --plugin-dir ${folder}`,
      "The mode is observe; change it with `phasekit init claude-code --mode <mode>`, or `mode` in an approved config.",
    ],
  };
}

function agentIn(name: string): AgentName {
  if (isAgentName(name)) return name;
  const nearest = nearestName(name, agentNames);
  throw badArgument(
    `"${name}" is not an agent`,
    nearest === undefined ? `Use one of: ${agentNames.join(", ")}.` : `Did you mean \`phasekit init ${nearest}\`?`,
  );
}

function planOf(agent: AgentName, { options }: CommandInput, context: CommandContext): LocalInstallPlan {
  const place = installPlace(context);
  const scope = choiceOption(options, "scope", installScopes(agent)) ?? "user";
  if (isSet(options, "uninstall")) return planUninstall(agent, { ...place, scope });
  const transports = installTransports(agent, scope);
  if (options["transport"] !== undefined && transports.length === 0)
    throw badArgument(`${agentTitle(agent)} loads a file of Phasekit's own`, "Leave out --transport.");
  const transport = choiceOption(options, "transport", transports);
  const mode = choiceOption(options, "mode", MODES);
  if (isSet(options, "statusline") && agent !== "claude-code")
    throw badArgument(`${agentTitle(agent)} has no status line for programs`, "Leave out --statusline.");
  return planInstall(agent, {
    ...place,
    scope,
    configLoader: configLoaderFile(),
    ...(mode !== undefined && { mode }),
    ...(transport !== undefined && { transport }),
    statusLine: isSet(options, "statusline"),
  });
}

/** An agent may install Phasekit for its user. It may not change or remove hooks that judge it. */
async function refuseAgents(
  agent: AgentName,
  { isRemoval, context }: { readonly isRemoval: boolean; readonly context: CommandContext },
): Promise<void> {
  if (!context.terminal.isAgent) return;
  if (isRemoval || (await diagnose(agent, { ...installPlace(context), env: context.env })).isInstalled)
    throw badArgument(
      "An agent cannot change its own hooks",
      `Ask the user to run \`phasekit init ${agent}${isRemoval ? " --uninstall" : ""}\`.`,
    );
}

async function confirmed(shown: readonly string[], { terminal, json }: CommandContext): Promise<boolean> {
  if (terminal.ask === undefined || json)
    throw badArgument(
      "Nothing was changed, because there is no terminal to ask on",
      "Look at the changes with `--dry-run`, then make them with `--yes`.",
    );
  terminal.out(`${shown.join("\n")}\n`);
  return await terminal.ask("Make these changes?");
}

function heading({ agent, scope, mode }: LocalInstallPlan, isRemoval: boolean): string {
  return isRemoval
    ? `Remove Phasekit from ${agentTitle(agent)}, scope ${scope}`
    : `Install Phasekit into ${agentTitle(agent)}, mode ${mode}, scope ${scope}`;
}

function answer(
  { agent, scope, mode, target, files, notes }: LocalInstallPlan,
  { done, lines }: { readonly done: boolean; readonly lines: readonly string[] },
): Answer {
  return {
    exitCode: exitCodes.ok,
    data: { agent, scope, mode, target, done, files: files.map(({ path }) => path), notes },
    lines,
  };
}
