import { agentNames, type Capability } from "@phasekit/hooks";
import { relative } from "node:path";
import type { Mode } from "@phasekit/core";
import type { CommandContext } from "../command.ts";
import { loadConfig, type LoadedConfig, noConfig, trustCommand } from "../config/load-config.ts";
import { diagnose, type Diagnosis } from "../hooks/install/diagnose.ts";
import { findAgents } from "../hooks/install/find-agents.ts";
import type { Finding } from "../render/findings.ts";
import { blindFindings } from "./blind-findings.ts";
import { type InstallPlace, installPlace, liveRoot, shortened } from "./install-folders.ts";
import { agentTitle } from "./plan-lines.ts";

/** Live hooks of every agent, and what was found out about them. */
export interface LiveReport {
  readonly diagnoses: readonly Diagnosis[];
  readonly findings: readonly Finding[];
}

const VERDICTS = { ok: "ok", warning: "note", error: "problem" } as const;
const CAPABILITIES: readonly Capability[] = ["nudge", "refuse", "veto", "stop"];

/** Looks at the live hooks of every agent: the files, the trust, a canned event, the config. */
export async function reportLive(context: CommandContext): Promise<LiveReport> {
  const place = installPlace(context);
  const config = await approvableConfig(context);
  const mode = modeOf(config);
  const diagnoses: Diagnosis[] = [];
  // One after the other: each may start the local server.
  for (const agent of agentNames)
    diagnoses.push(
      await diagnose(agent, {
        ...place,
        env: context.env,
        ...(config.approved && mode !== undefined && { configured: mode }),
      }),
    );
  const installed = diagnoses.filter(({ isInstalled }) => isInstalled);
  const findings = installed.flatMap(({ agent, findings: found }) =>
    found.map(({ level, text, fix }): Finding => ({
      what: `${agentTitle(agent)} live`,
      verdict: VERDICTS[level],
      text: text.replaceAll(`${place.home}/`, "~/"),
      ...(fix !== undefined && { fix }),
    })),
  );
  return {
    diagnoses,
    findings: [
      ...findings,
      ...(installed.length === 0 ? [] : configFindings(config, place)),
      ...(await blindFindings(liveRoot(context.env), context.now())),
      ...missingFindings(installed, place.home),
    ],
  };
}

/** The nearest config as the local server sees it: with what the user approved, without options of this command. */
async function approvableConfig({ env, cwd }: CommandContext): Promise<LoadedConfig> {
  return await loadConfig({ cwd, env, path: undefined, trustAll: false }).catch(() => noConfig(cwd));
}

const modeOf = ({ config }: LoadedConfig): Mode | undefined => config.run?.mode ?? config.mode;

function configFindings(loaded: LoadedConfig, { home, cwd }: InstallPlace): readonly Finding[] {
  const { path, approved } = loaded;
  if (path === undefined) return [];
  const name = shortened(path, home);
  const finding = { what: "Live config", verdict: approved ? "ok" : "note" } as const;
  return approved
    ? [{ ...finding, text: `live sessions here use ${name}` }]
    : [
        {
          ...finding,
          text: `live sessions here ignore ${name}: it is not approved`,
          fix: trustCommand(relative(cwd, path)),
        },
      ];
}

function missingFindings(installed: readonly Diagnosis[], home: string): readonly Finding[] {
  return findAgents({ home })
    .filter((agent) => !installed.some((one) => one.agent === agent))
    .map((agent) => ({
      what: `${agentTitle(agent)} live`,
      verdict: "note",
      text: "no hooks",
      fix: `phasekit init ${agent}`,
    }));
}

/** Rows of the capability table: agent, capability, and the events at which Phasekit has it. */
export function capabilityRows(
  diagnoses: readonly Pick<Diagnosis, "agent" | "capabilities">[],
): readonly (readonly string[])[] {
  return diagnoses.flatMap(({ agent, capabilities }) =>
    CAPABILITIES.map((capability, index) => [
      index === 0 ? agentTitle(agent) : "",
      capability,
      eventsWith(capabilities, capability).join(", ") || "no",
    ]),
  );
}

function eventsWith(capabilities: Diagnosis["capabilities"], capability: Capability): readonly string[] {
  return Object.entries(capabilities).flatMap(([event, can]) => (can.includes(capability) ? [event] : []));
}
