import type { CommandContext, CommandInput } from "../command.ts";
import { textOption } from "../command-options.ts";
import { type LoadedConfig, trustCommand } from "../config/load-config.ts";
import { badArgument } from "../errors.ts";

/** The database of a command line. */
export interface DatabaseChoice {
  readonly url: string;
  /** The url without user and password, for display. */
  readonly place: string;
  readonly schema: string;
  /** The secret that signs answers to reviews. */
  readonly reviewSecret?: string;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const FIX = "Add `--db postgres://user@host:5432/name`, or set PHASEKIT_DATABASE_URL or `database` in the config.";

/**
 * Returns the database to use: the url of `--db`, then PHASEKIT_DATABASE_URL, then the config.
 * @throws BAD_ARGUMENT
 */
export async function chooseDatabase(
  { db, ...options }: CommandInput["options"],
  { env, config }: Pick<CommandContext, "env" | "config">,
): Promise<DatabaseChoice> {
  const named = typeof db === "string" && db !== "" ? db : env["PHASEKIT_DATABASE_URL"];
  const url = named === undefined || named === "" ? databaseOf(await config()) : named;
  if (url === undefined) throw badArgument("No database url given", FIX);
  const schema = textOption(options, "schema") ?? "phasekit";
  if (!NAME.test(schema))
    throw badArgument(
      `--schema "${schema}" is not a valid name`,
      "Use lower-case letters, digits and underscores, at most 63.",
    );
  const reviewSecret = env["PHASEKIT_REVIEW_SECRET"];
  return {
    url,
    place: placeOf(url),
    schema,
    ...(reviewSecret !== undefined && reviewSecret !== "" && { reviewSecret }),
  };
}

/** An unapproved config may contain an attacker's url, which would receive PGPASSWORD. */
function databaseOf({ config: { database }, path = "", named, approved }: LoadedConfig): string | undefined {
  if (database !== undefined && !named && !approved)
    throw badArgument(
      `Ignored the database in "${path}": you have not approved this config`,
      `Approve it with \`${trustCommand(path)}\`, or add \`--db <url>\`.`,
    );
  return database;
}

function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // Do not repeat the value: it may be a mistyped url with a password.
  if (parsed === undefined || (parsed.protocol !== "postgres:" && parsed.protocol !== "postgresql:"))
    throw badArgument("The database url does not start with postgres:// or postgresql://", FIX);
  return `postgres://${parsed.host}${parsed.pathname}`;
}
