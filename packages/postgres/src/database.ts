import { invalidSchema } from "./errors.ts";

/** The part of a `pg` connection that a store uses. */
export interface Client {
  readonly query: (query: Query | string) => Promise<QueryAnswer>;
  readonly on: {
    (event: "error", listener: (error: Error) => void): unknown;
    (event: "end", listener: () => void): unknown;
    (event: "notification", listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  };
  readonly off: (event: "error", listener: (error: Error) => void) => unknown;
  readonly release: (destroy?: boolean) => void;
}

/** The part of a pool that a store uses; a `Pool` of `pg` fits. */
export interface Pool {
  readonly query: (query: Query | string) => Promise<QueryAnswer>;
  readonly connect: () => Promise<Client>;
  readonly on: (event: "error", listener: (error: Error) => void) => unknown;
  /** How many connections it may have, if it tells. */
  readonly options?: { readonly max?: number };
}

interface Query {
  /** Prepared under this name on each connection. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

interface QueryAnswer {
  readonly rows: Record<string, unknown>[];
  readonly rowCount: number | null;
}

/** Options that every store on a database takes. */
export interface DatabaseOptions {
  /** The schema with the tables. @default "phasekit" */
  readonly schema?: string;
  /** How long to wait for a database that does not answer, in milliseconds. @default 30000 */
  readonly patienceMs?: number;
  /**
   * Wake those who wait for changes, and be woken; without, they look again and again. Off behind a pooler of
   * transactions. @default true
   */
  readonly notifications?: boolean;
}

const NAME = /^[a-z_][a-z0-9_]{0,62}$/;
const guarded = new WeakSet<Pool>();

/**
 * The schema's name, quoted.
 * @throws INVALID_OPTION
 */
export function quotedSchema(schema = "phasekit"): string {
  if (!NAME.test(schema)) throw invalidSchema(schema);
  return `"${schema}"`;
}

/**
 * Without a listener, a connection that breaks ends the whole process: an idle one, and one that breaks as soon as it
 * is there, before the caller can listen.
 */
export function guardPool(pool: Pool): Pool {
  if (!guarded.has(pool)) {
    const ignore = (): void => undefined;
    pool.on("error", ignore);
    const makes = pool as unknown as { on: (event: "connect", listener: (client: Client) => void) => unknown };
    makes.on("connect", (client) => void client.on("error", ignore));
  }
  guarded.add(pool);
  return pool;
}

/**
 * True if a text can be a PostgreSQL text: no NUL, no half of a surrogate pair. Bodies are JSON, which escapes both.
 */
export function isStorable(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- it is what must not be there
  return !/\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);
}
