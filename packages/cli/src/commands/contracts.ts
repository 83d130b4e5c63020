import { ownValue } from "@phasekit/core/adapter";
import { type ContractSet, contractsOrThrow, parseContract, renderContractPrompt } from "@phasekit/contracts";
import { loadContracts } from "@phasekit/contracts/node";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { cleanText } from "../clean-text.ts";
import type { Answer, CommandContext, CommandInput, CommandRun } from "../command.ts";
import { isSet, textOption } from "../command-options.ts";
import { badArgument, fileExists, noContracts } from "../errors.ts";
import { exitCodes } from "../exit-code.ts";
import { plural } from "../render/numbers.ts";

/** `contracts check | prompt <phase> | new <phase>`. */
export const contracts: CommandRun = async ({ args: [action = "", name], options }, context) => {
  const { config, folder } = await context.config();
  const directory = resolve(folder, textOption(options, "dir") ?? config.contracts ?? "contracts");
  switch (action) {
    case "check":
      return await checkFolder(name === undefined ? directory : resolve(context.cwd, name), context);
    case "prompt":
      return await printPrompt(directory, { name, options });
    case "new":
      return await startContract(directory, { name, options }, context);
    default:
      throw badArgument(
        `Unknown action "${action}"`,
        "Use `phasekit contracts check`, `phasekit contracts prompt <phase>` or `phasekit contracts new <phase>`.",
      );
  }
};

async function checkFolder(directory: string, { terminal: { colors }, cwd }: CommandContext): Promise<Answer> {
  if (!existsSync(directory)) throw noContracts(relative(cwd, directory) || directory);
  const checked = await loadContracts(directory);
  const issues = checked.ok ? checked.warnings : checked.issues;
  const lines = issues.map(({ file, line, column, severity, message }) => {
    // An issue of the whole set, such as no contract in the folder, has no file.
    const place = isAbsolute(file)
      ? [relative(cwd, file), String(line), String(column)].join(":")
      : relative(cwd, directory) || ".";
    return `${place} ${severity === "error" ? colors.red(severity) : severity}: ${cleanText(message)}`;
  });
  const phases = checked.ok ? Object.keys(checked.contracts.byPhase) : [];
  const errors = issues.filter(({ severity }) => severity === "error").length;
  const verdict = checked.ok
    ? `${plural(phases.length, "contract")} valid: ${chainOf(checked.contracts)}`
    : `${plural(errors, "error")} in ${relative(cwd, directory) || "."}`;
  return {
    exitCode: checked.ok ? exitCodes.ok : exitCodes.findings,
    data: { ok: checked.ok, phases, issues },
    lines: [...lines, checked.ok ? colors.green(verdict) : colors.red(verdict)],
  };
}

/** The phases in order. */
function chainOf({ initial, byPhase }: ContractSet): string {
  const chain: string[] = [];
  for (
    let phase: string | null | undefined = initial;
    phase != null && !chain.includes(phase);
    phase = ownValue(byPhase, phase)?.next_phase
  )
    chain.push(phase);
  return chain.join(" → ");
}

async function printPrompt(
  directory: string,
  { name, options }: { readonly name: string | undefined; readonly options: CommandInput["options"] },
): Promise<Answer> {
  if (name === undefined)
    throw badArgument("contracts prompt needs a phase", "Write `phasekit contracts prompt <phase>`.");
  const set = contractsOrThrow(await loadContracts(directory));
  const contract = ownValue(set.byPhase, name);
  if (contract === undefined)
    throw badArgument(`No contract for phase "${name}"`, `Use one of: ${Object.keys(set.byPhase).join(", ")}.`);
  const prompt = renderContractPrompt(contract, { identifier: textOption(options, "item") ?? "ITEM-1" });
  return { exitCode: exitCodes.ok, data: { phase: name, prompt }, lines: prompt.split("\n"), isCode: true };
}

async function startContract(
  directory: string,
  { name, options }: { readonly name: string | undefined; readonly options: CommandInput["options"] },
  { cwd }: CommandContext,
): Promise<Answer> {
  if (name === undefined) throw badArgument("contracts new needs a phase", "Write `phasekit contracts new <phase>`.");
  const path = join(directory, `${name}.md`);
  const text = newContract(name, textOption(options, "next"));
  const { issues } = parseContract(text, { file: path });
  const [issue] = issues;
  if (issue !== undefined)
    throw badArgument(
      `"${name}" is not a valid phase name: ${issue.message}`,
      "Use lower case: a letter, then letters, digits, _ or -.",
    );
  const shown = relative(cwd, path);
  if (isSet(options, "dryRun"))
    return {
      exitCode: exitCodes.ok,
      data: { path, text, written: false },
      lines: [`# ${shown}`, ...text.trimEnd().split("\n")],
      isCode: true,
    };
  if (existsSync(path) && !isSet(options, "force")) throw fileExists(shown);
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFile(path, text, { mode: 0o644 });
  return {
    exitCode: exitCodes.ok,
    data: { path, text, written: true },
    lines: [`Wrote ${shown}. Check it with \`phasekit contracts check\`.`],
  };
}

function newContract(phase: string, next: string | undefined): string {
  return `---
phase: ${phase}
contract_version: 1
artifact_path: "docs/{identifier}/${phase}.md"
required_sections: [summary, open_questions]
done_when:
  - the summary says what was done and what was found
next_phase: ${next ?? "null"}
validation:
  mode: structural
  structural_checks: [artifact_exists, required_sections_present]
---
Describe here what the agent must do in this phase, and what it must not touch.
`;
}
