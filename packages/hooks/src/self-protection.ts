import { definePolicy, emit, type Policy, refuse } from "@phasekit/core";
import { gateTouched } from "./hook-events.ts";
import { listIn, textIn, toObject } from "@phasekit/core/adapter";

/** Files that hold an agent's hooks, Phasekit's configuration, or what the user waived. */
const PROTECTED_FILE = new RegExp(
  String.raw`(?:^|[\s"'=/\\~(])(?:` +
    [
      String.raw`\.claude/(?:settings(?:\.local)?\.json|hooks/)`,
      String.raw`\.codex/(?:hooks\.json|config\.toml)`,
      String.raw`\.gemini/settings\.json`,
      String.raw`\.cursor/hooks\.json`,
      String.raw`\.copilot/hooks/[^\s"']*phasekit`,
      String.raw`\.github/hooks/[^\s"']*phasekit`,
      String.raw`opencode/plugins?/phasekit`,
      String.raw`\.pi/(?:agent/)?extensions/phasekit`,
      String.raw`phasekit\.config\.(?:jsonc?|ya?ml|[cm]?[jt]s)\b`,
      // The user's approvals of configs.
      String.raw`phasekit/trust\.json\b`,
      String.raw`\.phasekit(?:/|\b)`,
    ].join("|") +
    ")",
);

/** Commands that are the user's to give; `phasekit trust --list` only looks, and is not worth an exception. */
const USERS_COMMAND = new RegExp(
  [
    String.raw`\bphasekit(?:@[\w.^~-]+)?\s+(?:(?:waive|trust|untrust)\b|init\b[^|;&]*--(?:uninstall|mode)\b)`,
    String.raw`\bPHASEKIT_(?:HOME|HOOKS)\s*=`,
  ].join("|"),
);

const LOOKING: ReadonlySet<string> = new Set(["read", "search", "vcs-read"]);

/**
 * Names the part of its own gate that a call would change: the hooks, Phasekit's configuration or the user's waivers.
 * Undefined if the call changes none of them; reading them is allowed.
 */
export function gateChange({
  activity,
  targets = [],
  input,
  mutates,
}: {
  readonly activity?: string;
  readonly targets?: readonly string[];
  readonly mutates?: boolean;
  readonly input: unknown;
}): string | undefined {
  const command = commandIn(input);
  const users = USERS_COMMAND.exec(command)?.[0];
  if (users !== undefined) return users.trim();
  if (activity !== undefined && LOOKING.has(activity) && mutates !== true) return undefined;
  const texts = [command, ...targets, ...pathsIn(input)].map((text) => text.replaceAll("\\", "/"));
  for (const text of texts) {
    const found = PROTECTED_FILE.exec(text)?.[0];
    if (found !== undefined) return found.replace(/^[\s"'=/\\~(]+/, "");
  }
  return undefined;
}

function commandIn(input: unknown): string {
  const { command, cmd, script } = toObject(input);
  const text = Array.isArray(command)
    ? listIn(command).map(textIn).join(" ")
    : textIn(command) + textIn(cmd) + textIn(script);
  return changedByPatch(text) ?? text;
}

/** The files a patch changes; its other lines may well mention a protected file. */
function changedByPatch(text: string): string | undefined {
  if (!text.trimStart().startsWith("*** Begin Patch")) return undefined;
  return [...text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)]
    .map(([, path = ""]) => path)
    .join("\n");
}

function pathsIn(input: unknown): readonly string[] {
  const { file_path, filePath, path, target_file, absolute_path, notebook_path } = toObject(input);
  return [file_path, filePath, path, target_file, absolute_path, notebook_path]
    .map(textIn)
    .filter((text) => text !== "");
}

/**
 * Refuses changes an agent makes to its own gate: hook entries, `phasekit.config`, waivers. Refused in mode `gate`,
 * recorded in every mode. It closes these files and nothing else, and never holds a finish.
 */
export function selfProtection(): Policy {
  return definePolicy({
    name: "self-protection",
    decide: {
      "tool.requested": (_run, _state, { tool, input, meaning }) => {
        const { activity, targets, mutates } = meaning;
        const what = gateChange({
          input,
          ...(activity !== undefined && { activity }),
          ...(targets !== undefined && { targets }),
          ...(mutates !== undefined && { mutates }),
        });
        if (what === undefined) return undefined;
        return [
          emit(gateTouched, { tool, what }),
          refuse(`"${what}" belongs to the user's Phasekit setup. Ask the user to change it, and continue without it.`),
        ];
      },
    },
  });
}

/** True if a refusal comes from `selfProtection`, which the guard never withholds. */
export function isSelfProtection(policy: string | undefined): boolean {
  return policy === "self-protection";
}
