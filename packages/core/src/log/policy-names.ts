/** Policies that were renamed: the old name, which stored logs and settings may still hold, and today's. */
const CURRENT_NAMES: ReadonlyMap<unknown, string> = new Map([
  ["fresh-tests", "tests-fresh"],
  ["tests-not-weakened", "tests-kept"],
  ["checks-not-loosened", "checks-kept"],
  ["open-todos", "todos-done"],
  ["non-empty-diff", "diff-not-empty"],
  ["claims-match", "claims-true"],
  ["changes-committed", "committed"],
  ["changes-pushed", "pushed"],
]);

/** Fields of an event that hold the name of a policy. */
const FIELDS = ["by", "gate", "policy"];

/** Returns today's name of a policy: the given one, unless it was renamed. */
export function currentPolicyName(name: string): string {
  return CURRENT_NAMES.get(name) ?? name;
}

/** Returns a stored event with today's names of policies; the event itself if it has no old name. */
export function withCurrentNames<TEvent extends Readonly<Record<string, unknown>>>(event: TEvent): TEvent {
  const { policies } = event;
  const renamed: Record<string, unknown> = {};
  let isOld = false;
  for (const field of FIELDS) {
    const name = CURRENT_NAMES.get(event[field]);
    if (name === undefined) continue;
    // own key: a field of the list above
    renamed[field] = name;
    isOld = true;
  }
  if (Array.isArray(policies) && policies.some((policy) => CURRENT_NAMES.has(nameOf(policy)))) {
    renamed["policies"] = policies.map((policy: unknown) => {
      const name = CURRENT_NAMES.get(nameOf(policy));
      return name === undefined ? policy : { ...(policy as object), name };
    });
    isOld = true;
  }
  return isOld ? { ...event, ...renamed } : event;
}

const nameOf = (policy: unknown): unknown => (policy as { readonly name?: unknown } | null | undefined)?.name;
