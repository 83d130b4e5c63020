import type { WorkChange } from "@phasekit/contracts";
import { randomUUID } from "node:crypto";
import type { Pool } from "./database.ts";
import { withPatience } from "./patience.ts";
import { sendTogether } from "./send-together.ts";

/** A key that must not repeat did. */
const UNIQUE_VIOLATION = "23505";
/** Of the function that makes one change; a row has as many members. */
const PARAMETERS = 21;

/**
 * Makes the function that commits changes: one in one call, many that come at the same time in one call, too. A change
 * has an identifier of its own, which stays with the version it made: when an answer was lost, reading it tells.
 */
export function createCommit(
  pool: Pool,
  { schema, patienceMs }: { readonly schema: string; readonly patienceMs: number },
): (change: WorkChange) => Promise<boolean> {
  const parameters = Array.from({ length: PARAMETERS }, (_, index) => `$${String(index + 1)}`);
  const ONE = `select ${schema}.commit_change(${parameters.join(", ")}) as done`;
  const MANY = `select ${schema}.commit_changes($1) as done`;

  async function isDone(row: ChangeRow): Promise<boolean> {
    try {
      const [answer] = (await pool.query({ name: `${schema}-commit`, text: ONE, values: Object.values(row) })).rows;
      return answer?.["done"] === true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }

  /** True if the version that is there now is the one this very change made. */
  async function wasDone({ item, version, change }: ChangeRow): Promise<boolean> {
    return (
      (
        await pool.query({
          text: `select from ${schema}.change where item_id = $1 and version = $2 and id = $3`,
          values: [item, version, change],
        })
      ).rowCount === 1
    );
  }

  const send = sendTogether<ChangeRow, boolean>({
    about: ({ item }) => item,
    alone: (row, wasUncertain) =>
      withPatience(patienceMs, async (isUncertain) => (await isDone(row)) || (isUncertain && (await wasDone(row))), {
        isUncertain: wasUncertain,
      }),
    together: async (given) => {
      // Of rivals for one version only the first is sent: whether it wins or is too late itself, the others are too
      // late.
      const firsts = new Map<string, ChangeRow>();
      for (const row of given) if (!firsts.has(aimOf(row))) firsts.set(aimOf(row), row);
      const numbered = [...firsts.values()].map((row, index) => ({ place: index + 1, ...row }));
      const [answer] = (await pool.query({ name: `${schema}-commits`, text: MANY, values: [JSON.stringify(numbered)] }))
        .rows;
      const done = answer?.["done"] as readonly (boolean | null)[];
      const answers = new Map([...firsts.keys()].map((aim, index) => [aim, done[index]]));
      return given.map((row) => {
        const first = answers.get(aimOf(row));
        return firsts.get(aimOf(row)) === row || typeof first !== "boolean" ? first : false;
      });
    },
  });
  return (change) => send(changeToRow(change));
}

/** The version that a change builds on. */
const aimOf = ({ item, expected }: ChangeRow): string => `${String(expected)} ${item}`;

/** A change as the database takes it; the members are in the order of the function's parameters. */
interface ChangeRow {
  readonly item: string;
  readonly expected: number;
  readonly version: number;
  readonly phase: string;
  readonly status: string;
  readonly revision_since: string | null;
  readonly body: string;
  readonly change: string;
  readonly entry: number | null;
  readonly claim: string | null;
  readonly advance: string | null;
  readonly comments: string | null;
  readonly kinds: readonly string[];
  readonly ids: readonly string[];
  readonly keys: readonly (string | null)[];
  readonly opens: readonly boolean[];
  readonly bodies: readonly string[];
  readonly hook_ids: readonly string[];
  readonly hooks: readonly string[];
  readonly hashes: readonly string[];
  readonly texts: readonly string[];
}

function changeToRow({
  item,
  expectedVersion,
  claims = [],
  verdicts = [],
  reviews = [],
  advance,
  comments = [],
  hooks = [],
  snapshots = [],
}: WorkChange): ChangeRow {
  const findings = [
    ...claims.map((claim) => ({
      kind: "claim",
      id: claim.id,
      key: claim.idempotency_key,
      isOpen: !claim.processed,
      body: claim,
    })),
    ...verdicts.map((verdict) => ({ kind: "verdict", id: verdict.id, key: null, isOpen: false, body: verdict })),
    ...reviews.map((review) => ({
      kind: "review",
      id: review.id,
      key: null,
      isOpen: review.state === "open" || review.state === "person",
      body: review,
    })),
  ];
  return {
    item: item.id,
    expected: expectedVersion,
    version: item.version,
    phase: item.phase,
    status: item.status,
    revision_since: item.revisionSince,
    body: JSON.stringify(item),
    change: randomUUID(),
    entry: advance?.entry ?? null,
    claim: advance?.claimId ?? null,
    advance: advance === undefined ? null : JSON.stringify(advance),
    comments: comments.length === 0 ? null : JSON.stringify(comments),
    kinds: findings.map(({ kind }) => kind),
    ids: findings.map(({ id }) => id),
    keys: findings.map(({ key }) => key),
    opens: findings.map(({ isOpen }) => isOpen),
    bodies: findings.map(({ body }) => JSON.stringify(body)),
    hook_ids: hooks.map(({ id }) => id),
    hooks: hooks.map((hook) => JSON.stringify(hook)),
    hashes: snapshots.map(({ hash }) => hash),
    // A text may hold what PostgreSQL does not take; its JSON does not.
    texts: snapshots.map(({ text }) => JSON.stringify(text)),
  };
}
