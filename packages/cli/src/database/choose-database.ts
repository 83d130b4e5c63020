import type { CommandContext, CommandInput } from "../command.ts";
import { textOption } from "../command-options.ts";
import { badArgument } from "../errors.ts";

/** Which database is meant. */
export interface DatabaseChoice {
  readonly url: string;
  /** The address without names and passwords, for people. */
  readonly place: string;
  readonly schema: string;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const FIX = "Write `--db postgres://user@host:5432/name`, or set PHASEKIT_DATABASE_URL or `database` in the config.";

/**
 * The database a command line names: the address after `--db`, then PHASEKIT_DATABASE_URL, then the config.
 * @throws BAD_ARGUMENT
 */
export async function chooseDatabase({ db, ...options }: CommandInput["options"], { env, config }: Pick<CommandContext, "env" | "config">): Promise<DatabaseChoice> {
  const named = typeof db === "string" && db !== "" ? db : env["PHASEKIT_DATABASE_URL"];
  const url = named === undefined || named === "" ? (await config()).config.database : named;
  if (url === undefined) throw badArgument("No database was named", FIX);
  const schema = textOption(options, "schema") ?? "phasekit";
  if (!NAME.test(schema)) throw badArgument(`--schema is "${schema}"`, "Use small letters, digits and underscores, at most 63.");
  return { url, place: placeOf(url), schema };
}

function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // What was given is not repeated: it may be an address with a password and a slip in it.
  if (parsed === undefined || (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:")) throw badArgument("What was given as the database is no address of a PostgreSQL database", FIX);
  return `postgres://${parsed.host}${parsed.pathname}`;
}
