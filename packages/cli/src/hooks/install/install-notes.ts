import { toObject } from "@phasekit/core/adapter";
import { type AgentName, hookAgents } from "@phasekit/hooks";
import type { ByteText } from "./byte-text.ts";
import { goesToPort, handlersIn, programOf } from "./hook-entries.ts";
import type { InstallContext } from "./install-context.ts";
import type { InstallOptions } from "./install-plan.ts";
import { readRecord } from "./install-record.ts";
import { type InstallScope, installScopes, installTarget, isInProcess } from "./install-target.ts";
import { parseJsonBytes } from "./json-text.ts";
import { shellLine } from "./shell-words.ts";

/** Next steps for the user after an installation; `bytes` are the agent's settings then. */
export function notesFor(
  context: InstallContext,
  { options, bytes }: { readonly options: InstallOptions; readonly bytes: ByteText },
): readonly string[] {
  const { agent, scope } = context;
  return [
    ...agentNotes(agent, scope),
    ...(options.statusLine === true ? statusLineNotes(context, bytes) : []),
    ...(isInProcess(agent) ? [] : otherFolderNotes(context, bytes)),
    ...portNotes(context, options),
  ];
}

function agentNotes(agent: AgentName, scope: InstallScope): readonly string[] {
  switch (agent) {
    case "codex":
      return [
        "Codex silently skips hooks that you have not trusted: " +
          "start `codex`, open /hooks and trust the Phasekit hooks once.",
      ];
    case "gemini-cli":
      return [
        "Gemini CLI runs no hooks in a folder that you have not trusted: " +
          "answer its question, or start it with --skip-trust.",
      ];
    case "copilot-cli":
      return scope === "user" ? [] : ["Copilot CLI ignores hooks of a project without --trust-folder."];
    case "cursor":
      return ["Cursor's cloud agents do not run `stop` hooks."];
    case "opencode":
      return ["`opencode run` exits before a veto can reach the model; in the TUI and under `opencode serve` it can."];
    case "claude-code":
    case "pi":
      return [];
  }
}

function statusLineNotes({ agent, isOurs }: InstallContext, bytes: ByteText): readonly string[] {
  if (agent !== "claude-code") return [];
  return !isOurs(toObject(parseJsonBytes(bytes))["statusLine"])
    ? ["Your own status line was kept; `phasekit statusline` prints ours."]
    : [];
}

/** Another folder of Phasekit's has hooks in the same settings, so every event would be handled twice. */
function otherFolderNotes({ agent, scope, target, root, read }: InstallContext, bytes: ByteText): readonly string[] {
  const folders = handlersIn(parseJsonBytes(bytes)).flatMap(({ value }) => programOf(value)?.root ?? []);
  return [...new Set(folders)]
    .filter((folder) => folder !== root && readRecord(`${folder}/installs`, target, read) !== undefined)
    .map((folder) => {
      const options = scope === "user" ? "" : ` --scope ${scope}`;
      const command = `PHASEKIT_HOME=${shellLine([folder])} phasekit init ${agent}${options} --uninstall`;
      return `The Phasekit of "${folder}" has hooks in the same file; to remove them: ${command}`;
    });
}

/** Settings of Claude Code, other than those that are changed, whose hooks of an earlier version nothing answers. */
function portNotes({ agent, read }: InstallContext, { home, cwd }: InstallOptions): readonly string[] {
  if (agent === "claude-code") return [];
  return installScopes("claude-code")
    .filter((scope) => sendsToPort(read(installTarget("claude-code", { scope, home, cwd }))))
    .map((scope) => {
      const command = `phasekit init claude-code${scope === "user" ? "" : ` --scope ${scope}`}`;
      const { title } = hookAgents["claude-code"];
      return `${title}'s hooks go to a port that others can take: run \`${command}\`.`;
    });
}

/** True if settings have a hook that sends events to a port. Settings that cannot be read have none. */
function sendsToPort(bytes: ByteText | undefined): boolean {
  try {
    return handlersIn(parseJsonBytes(bytes ?? "")).some(({ value }) => goesToPort(value));
  } catch {
    return false;
  }
}
