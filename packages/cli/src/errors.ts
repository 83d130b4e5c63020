import { PhasekitError } from "@phasekit/core";

/** Thrown for an argument or option that a command cannot work with. */
export function badArgument(what: string, fix: string): PhasekitError<"BAD_ARGUMENT"> {
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-template-expression -- the reference of errors reads templates
  return new PhasekitError("BAD_ARGUMENT", `${what}`, { hint: `${fix}` });
}

/** Thrown when there is no such command. */
export function unknownCommand(name: string, nearest: string | undefined): PhasekitError<"UNKNOWN_COMMAND"> {
  return new PhasekitError("UNKNOWN_COMMAND", `There is no command "${name}"`, {
    hint: nearest === undefined ? "See `phasekit --help`." : `Did you mean \`phasekit ${nearest}\`?`,
  });
}

/** Thrown when no tool has left a log where its logs usually are, and no file was named. */
export function noLogs(places: string): PhasekitError<"NO_LOGS"> {
  return new PhasekitError("NO_LOGS", `No agent logs were found — looked in ${places}`, {
    hint: "Name a log file or folder, or see a run made on the spot with `phasekit demo`.",
  });
}

/** Thrown when a name is neither a file, nor a folder, nor a run that is kept. */
export function noSuchRun(name: string, places: string): PhasekitError<"NO_SUCH_RUN"> {
  return new PhasekitError("NO_SUCH_RUN", `There is no log or run "${name}" — looked for a path, then in ${places}`, {
    hint: "List what there is with `phasekit runs`.",
  });
}

/** Thrown when a file is no log of a tool we know. */
export function unreadableLog(path: string, evidence: string): PhasekitError<"UNREADABLE_LOG"> {
  return new PhasekitError("UNREADABLE_LOG", `"${path}" is no log of a tool we know — ${evidence}`, {
    hint: "See which formats are read in `phasekit doctor`; a broken file can be cut at its last whole line.",
  });
}

/** Thrown when the system does not let a file or folder be read. */
export function cannotRead(path: string, evidence: string): PhasekitError<"CANNOT_READ"> {
  return new PhasekitError("CANNOT_READ", `"${path}" cannot be read — ${evidence}`, {
    hint: "Check the path, its links and who may read it.",
  });
}

/** Thrown when a log or folder was read and holds no run. */
export function emptyLog(path: string, evidence = "nothing in it says what an agent did"): PhasekitError<"EMPTY_LOG"> {
  return new PhasekitError("EMPTY_LOG", `"${path}" holds no run — ${evidence}`, {
    hint: "Name another log; `phasekit runs` lists what there is.",
  });
}

/** Thrown when the config file cannot be loaded or says something that is not an option. */
export function badConfig(path: string, problem: string, cause?: unknown): PhasekitError<"BAD_CONFIG"> {
  return new PhasekitError("BAD_CONFIG", `"${path}" cannot be used — ${problem}`, {
    hint: "It exports `defineConfig({ … })` as its default; `phasekit init` writes one.",
    cause,
  });
}

/** Thrown when a policy to simulate is neither a preset nor a file that exports policies. */
export function badPolicy(name: string, problem: string, cause?: unknown): PhasekitError<"BAD_POLICY"> {
  return new PhasekitError("BAD_POLICY", `"${name}" gives no policies — ${problem}`, {
    hint: "Name a preset (coding, watchdog, gates, none) or a file whose default export is a policy, a list of policies or run options.",
    cause,
  });
}

/** Thrown when a file that a command would write is there already. */
export function fileExists(path: string): PhasekitError<"FILE_EXISTS"> {
  return new PhasekitError("FILE_EXISTS", `"${path}" is there already, and was left as it is`, { hint: "Use `--force` to replace it, or `--dry-run` to see what would be written." });
}

/** Thrown when a database does not answer, or does not let us in. */
export function noDatabase(place: string, problem: string, cause?: unknown): PhasekitError<"NO_DATABASE"> {
  return new PhasekitError("NO_DATABASE", `The database at ${place} cannot be used — ${problem}`, {
    hint: "Check the address, the password and that the server runs.",
    cause,
  });
}

/** Thrown when a database has no tables of ours. */
export function noTables(place: string, schema: string): PhasekitError<"NO_TABLES"> {
  return new PhasekitError("NO_TABLES", `The database at ${place} has no tables of this version in the schema "${schema}"`, { hint: "Make them with `phasekit db migrate`." });
}

/** Thrown when nothing is known under a code. */
export function unknownCode(code: string, nearest: string): PhasekitError<"UNKNOWN_CODE"> {
  return new PhasekitError("UNKNOWN_CODE", `Nothing is known as "${code}"`, { hint: `Nearest: ${nearest}. \`phasekit explain\` lists everything.` });
}
