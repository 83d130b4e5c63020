import { PhasekitError } from "@phasekit/core";

/** Thrown if a command cannot use an argument or option. */
export function badArgument(what: string, fix: string): PhasekitError<"BAD_ARGUMENT"> {
  // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- for the error reference
  return new PhasekitError("BAD_ARGUMENT", `${what}`, { hint: `${fix}` });
}

/** Thrown if the command does not exist. */
export function unknownCommand(name: string, nearest: string | undefined): PhasekitError<"UNKNOWN_COMMAND"> {
  return new PhasekitError("UNKNOWN_COMMAND", `Unknown command "${name}"`, {
    hint: nearest === undefined ? "List all commands with `phasekit --help`." : `Did you mean \`phasekit ${nearest}\`?`,
  });
}

/** Where runs are looked for: logs on this machine, or a database. */
type RunPlace = "machine" | "database";

/** Thrown if no log was named and none is in the usual folders, or the database has none. */
export function noLogs(places: string, where: RunPlace = "machine"): PhasekitError<"NO_LOGS"> {
  return new PhasekitError("NO_LOGS", `No agent logs found — searched ${places}`, {
    hint:
      where === "machine"
        ? "Name a log: `phasekit why <file or folder>`. To watch a sample run: `phasekit demo`."
        : "Store runs in the database with `createPostgresRunStore()` or `shipRuns()`, then: `phasekit runs --db`.",
  });
}

/** Thrown if a name is not a file, a folder or the id of a stored run. */
export function noSuchRun(name: string, why: string, where: RunPlace = "machine"): PhasekitError<"NO_SUCH_RUN"> {
  return new PhasekitError("NO_SUCH_RUN", `No log or run matches "${name}" — ${why}`, {
    hint:
      where === "machine"
        ? "List available runs with `phasekit runs`. To see a sample run: `phasekit demo`."
        : "List the runs of the database with `phasekit runs --db`.",
  });
}

/** Thrown if there are logs or runs, and the options leave none of them. */
export function noMatchingLogs(filters: string, what: string): PhasekitError<"NO_MATCHING_LOGS"> {
  return new PhasekitError("NO_MATCHING_LOGS", `None of ${what} matches ${filters}`, {
    hint: "Leave one of the options out, or list all runs with `phasekit runs`.",
  });
}

/** Thrown if the content of a file is not a supported log format. */
export function unreadableLog(path: string, evidence: string): PhasekitError<"UNREADABLE_LOG"> {
  return new PhasekitError("UNREADABLE_LOG", `"${path}" is not a log format Phasekit recognizes — ${evidence}`, {
    hint: "List supported formats with `phasekit doctor`. If the file is truncated, remove its last, incomplete line.",
  });
}

/** Thrown if the operating system denies access to a file or folder. */
export function cannotRead(path: string, evidence: string): PhasekitError<"CANNOT_READ"> {
  return new PhasekitError("CANNOT_READ", `Cannot read "${path}" — ${evidence}`, {
    hint: "Check the path and its permissions: `ls -l <path>`.",
  });
}

/** Thrown if an endpoint does not take a trace. */
export function cannotSend(endpoint: string, evidence: string): PhasekitError<"CANNOT_SEND"> {
  return new PhasekitError("CANNOT_SEND", `Cannot send to "${endpoint}" — ${evidence}`, {
    hint: "Check the address and its headers; docs/otel.md has them for some backends. Sending again changes nothing.",
  });
}

/** Thrown if the code that reads a log fails on it. The other logs are still read. */
export function readerFailed(path: string, problem: string): PhasekitError<"READER_FAILED"> {
  return new PhasekitError("READER_FAILED", `Reading "${path}" failed — ${problem}`, {
    hint: "This is a bug in Phasekit. Please report it with the first lines of the log.",
  });
}

/** Thrown if a readable log or folder contains no run. */
export function emptyLog(path: string, evidence = "found no messages or tool calls"): PhasekitError<"EMPTY_LOG"> {
  return new PhasekitError("EMPTY_LOG", `"${path}" contains no agent run — ${evidence}`, {
    hint: "Name another log. List available runs with `phasekit runs`.",
  });
}

/** Thrown if the folder of contracts does not exist. */
export function noContracts(folder: string): PhasekitError<"NO_CONTRACTS"> {
  return new PhasekitError("NO_CONTRACTS", `There is no contracts folder "${folder}"`, {
    hint: "Create one with `phasekit contracts new <phase>`, or name it: `phasekit contracts check <folder>`.",
  });
}

/** Thrown if the config cannot be loaded or has an invalid option. */
export function badConfig(path: string, problem: string, cause?: unknown): PhasekitError<"BAD_CONFIG"> {
  return new PhasekitError("BAD_CONFIG", `Invalid config "${path}" — ${problem}`, {
    hint: "Print a working config with `phasekit init --dry-run`. All keys: docs/cli.md.",
    cause,
  });
}

/** Thrown if a command depends on a code config that the user has not approved. */
export function untrustedConfig(path: string, why: string, command: string): PhasekitError<"UNTRUSTED_CONFIG"> {
  return new PhasekitError("UNTRUSTED_CONFIG", `"${path}" was not run — ${why}`, {
    hint: `Review the file, then approve it: \`${command}\`. To run it once, pass \`--config <file>\`.`,
  });
}

/** Thrown if the list of approved files is broken or writable by other users. */
export function badTrustStore(path: string, problem: string): PhasekitError<"BAD_TRUST_STORE"> {
  return new PhasekitError("BAD_TRUST_STORE", `Cannot trust the approvals in "${path}" — ${problem}`, {
    hint: "Run `chmod 600` on the file and `chmod 700` on its folder, or delete it and run `phasekit trust` again.",
  });
}

/** Thrown if a policy name is neither a preset nor a file that exports policies. */
export function badPolicy(name: string, problem: string, cause?: unknown): PhasekitError<"BAD_POLICY"> {
  return new PhasekitError("BAD_POLICY", `Cannot use "${name}" as policies — ${problem}`, {
    hint: "Use coding, watchdog, gates or none, or a file that exports a policy, policies or run options as default.",
    cause,
  });
}

/** Thrown if a file of prices cannot be read. */
export function badPrices(path: string, problem: string): PhasekitError<"BAD_PRICES"> {
  return new PhasekitError("BAD_PRICES", `Cannot use the prices in "${path}" — ${problem}`, {
    hint: 'Write USD per million tokens, as `{ "my-model": { "input": 1.25, "output": 10 } }`, or LiteLLM JSON.',
  });
}

/** Thrown if a command would overwrite an existing file. */
export function fileExists(path: string): PhasekitError<"FILE_EXISTS"> {
  return new PhasekitError("FILE_EXISTS", `"${path}" already exists and was not changed`, {
    hint: "Choose another path or delete the file. `init` and `contracts new` also accept `--force`.",
  });
}

/** Thrown if the database does not respond or rejects the connection. */
export function noDatabase(place: string, problem: string, cause?: unknown): PhasekitError<"NO_DATABASE"> {
  return new PhasekitError("NO_DATABASE", `Cannot use the database at ${place} — ${problem}`, {
    hint: "Check that the server is running and that `psql <url>` connects.",
    cause,
  });
}

/** Thrown if a database lacks the tables of this version. */
export function noTables(place: string, schema: string): PhasekitError<"NO_TABLES"> {
  return new PhasekitError(
    "NO_TABLES",
    `The schema "${schema}" of the database at ${place} lacks the tables of this version`,
    { hint: "Create them with `phasekit db migrate --db <url>`." },
  );
}

/** Thrown if no live session works in the folder, or the local server does not run. */
export function noSession(where: string): PhasekitError<"NO_SESSION"> {
  return new PhasekitError("NO_SESSION", `Phasekit knows no live session of "${where}"`, {
    hint: "Run the command in the folder the agent was started in. Check the hooks with `phasekit doctor`.",
  });
}

/** Thrown if `explain` gets a code that does not exist. */
export function unknownCode(code: string, nearest: string | undefined): PhasekitError<"UNKNOWN_CODE"> {
  return new PhasekitError("UNKNOWN_CODE", `Unknown code "${code}"`, {
    hint: `${nearest === undefined ? "" : `Did you mean ${nearest}? `}List all codes with \`phasekit explain\`.`,
  });
}

/** An agent's settings are not a JSON object, so hooks cannot be added beside what is there. Nothing was changed. */
export function unreadableSettings(path: string, problem: string): PhasekitError<"UNREADABLE_SETTINGS"> {
  return new PhasekitError(
    "UNREADABLE_SETTINGS",
    `"${path}" cannot be read as JSON: ${problem}. Nothing was changed.`,
    {
      hint: "Take comments and trailing commas out of the file, then run the command again.",
    },
  );
}

/** An agent has no settings of this scope. */
export function unknownScope(agent: string, scope: string, known: readonly string[]): PhasekitError<"UNKNOWN_SCOPE"> {
  return new PhasekitError("UNKNOWN_SCOPE", `${agent} has no settings of scope "${scope}".`, {
    hint: `Use one of: ${known.join(", ")}.`,
  });
}

/** An agent cannot reach Phasekit in this way. */
export function unknownTransport(
  { agent, scope, transport }: { readonly agent: string; readonly scope: string; readonly transport: string },
  known: readonly string[],
): PhasekitError<"UNKNOWN_TRANSPORT"> {
  return new PhasekitError(
    "UNKNOWN_TRANSPORT",
    `${agent} cannot reach Phasekit by "${transport}" with settings of scope "${scope}".`,
    {
      hint: known.length === 0 ? `${agent} loads a file of Phasekit's own.` : `Use one of: ${known.join(", ")}.`,
    },
  );
}

/** The local server of live sessions cannot run, so agents work without Phasekit. */
export function cannotServe(why: string): PhasekitError<"CANNOT_SERVE"> {
  return new PhasekitError("CANNOT_SERVE", `${why}.`, {
    hint: "Remove what is in the way, or make the folder yours alone, then run `phasekit doctor`.",
  });
}

/** A folder of Phasekit's belongs to another user, or others can write to it, so nothing is installed there. */
export function unsafeFolder(why: string): PhasekitError<"UNSAFE_FOLDER"> {
  return new PhasekitError("UNSAFE_FOLDER", `${why}.`, {
    hint: "If the folder is yours, remove it or run `chmod 700` on it, then run the command again.",
  });
}

/** A file that an installation changes holds something else than the agent's settings allow. Nothing was changed. */
export function unexpectedSettings(
  path: string,
  member: string,
  expected: string,
): PhasekitError<"UNEXPECTED_SETTINGS"> {
  return new PhasekitError("UNEXPECTED_SETTINGS", `"${member}" in "${path}" is not ${expected}. Nothing was changed.`, {
    hint: `Correct or remove "${member}" in the file, then run the command again.`,
  });
}

/** The file that an agent would load is not the one that Phasekit installed, so it is neither replaced nor removed. */
export function foreignFile(path: string): PhasekitError<"FOREIGN_FILE"> {
  return new PhasekitError(
    "FOREIGN_FILE",
    `"${path}" is not as Phasekit installed it, so it may be yours. Nothing was changed.`,
    { hint: "Rename or delete the file, then run the command again." },
  );
}

/** A file changed between the plan of an installation and its execution. Nothing was changed. */
export function settingsChanged(path: string): PhasekitError<"SETTINGS_CHANGED"> {
  return new PhasekitError("SETTINGS_CHANGED", `"${path}" was changed meanwhile. Nothing was written.`, {
    hint: "Run the command again.",
  });
}

/** A file cannot be replaced: the disk is full, its folder cannot be written to, or it is read-only. */
export function unwritableSettings(path: string, evidence: string): PhasekitError<"UNWRITABLE_SETTINGS"> {
  return new PhasekitError("UNWRITABLE_SETTINGS", `Cannot write "${path}" — ${evidence}. Nothing was changed.`, {
    hint: "Free space on the disk, or make the file writable with `chmod u+w`, then run the command again.",
  });
}

/** Another installation holds the lock of Phasekit's folder for a minute. */
export function installBusy(lock: string): PhasekitError<"INSTALL_BUSY"> {
  return new PhasekitError("INSTALL_BUSY", `Another \`phasekit init\` still runs and holds "${lock}".`, {
    hint: "Answer or end it, then run the command again.",
  });
}

/** Thrown if the port of a page or a health check is in use. */
export function portInUse(port: number | undefined, why: string, cause: unknown): PhasekitError<"PORT_IN_USE"> {
  return new PhasekitError("PORT_IN_USE", `Cannot listen on port ${String(port ?? "")} — ${why}`, {
    hint: "Choose another port with `--port <n>`, or leave the option out to get a free one.",
    cause,
  });
}

/** Thrown if the operating system does not let a command write a file. */
export function cannotWrite(path: string | undefined, problem: string, cause: unknown): PhasekitError<"CANNOT_WRITE"> {
  return new PhasekitError(
    "CANNOT_WRITE",
    `Cannot write ${path === undefined ? "the output" : `"${path}"`} — ${problem}`,
    { hint: "Choose another path, or check its folder: `ls -ld <folder>`, `df <folder>`.", cause },
  );
}

/** Printed for any error that Phasekit does not know. Nothing of the user is wrong. */
export function internalError(message: string, cause: unknown): PhasekitError<"INTERNAL"> {
  return new PhasekitError("INTERNAL", `The command failed — ${message}`, {
    hint: "This is a bug in Phasekit. Please report it with the command you ran.",
    cause,
  });
}
